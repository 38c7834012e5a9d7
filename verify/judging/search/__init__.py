"""Search: over a region, for the points at which a claimed derivative goes wrong."""
