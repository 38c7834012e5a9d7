"""Compiled derivatives made wrong, in every pass and back end: each must be refuted as a claim."""
