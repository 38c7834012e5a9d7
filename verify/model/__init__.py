"""What is verified and what is found: quantities, cases, verdicts, evidence, results, grades.

May import errors, sources, limits and regions; nothing here computes a derivative.
"""
