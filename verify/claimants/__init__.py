"""Claimants: what answers with a derivative, how it is posed, called and asked again.

May import adapters, the model and what is below; knows nothing of what is exact.
"""
