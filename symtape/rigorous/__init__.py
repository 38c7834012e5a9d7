"""Enclosures: recorded computations evaluated in balls that certainly hold the exact value."""
