"""Rules: whether a library's derivatives are right in exact arithmetic, whatever floats lose.

The derivative is read as a program and set beside the exact derivative of the formula. The prover
shows that they are equal for all numbers, or enclosures show a number at which they are not.
"""
