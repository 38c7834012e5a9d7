"""Pairs of a function and its claimed derivative that a package has: found, bounded, posed."""
