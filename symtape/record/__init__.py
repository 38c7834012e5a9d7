"""Recording: tensors, variables, tapes."""
