"""JAX: a function is traced to its jaxpr, whose equations are replayed on Tensors."""
