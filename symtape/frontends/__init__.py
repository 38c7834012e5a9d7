"""Programs of other frameworks, read as graphs: jaxprs, ATen, and functions of autograd's."""
