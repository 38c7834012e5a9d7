"""Files of the package, and the folder that runs share: data, proofs, counterexamples.

May import the model and what is below it.
"""
