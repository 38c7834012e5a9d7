"""Functions as programs: each recorded once for the shapes, dtypes and path of its arguments."""
