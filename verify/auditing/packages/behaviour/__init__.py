"""Pairs by behaviour: what answers as the differences of something else do is its derivative."""
