"""What testifies of the exact derivative, and of what floats may return."""
