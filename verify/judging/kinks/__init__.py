"""Points without a derivative: what meets there, and what a derivative may be."""
