"""The symbolic engine: recorded graphs as SymPy formulas, differentiated by the chain rule."""
