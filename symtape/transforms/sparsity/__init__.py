"""Sparse derivatives: which entries can be other than 0, and how few sweeps find them all.

What a recording's entries depend on is found by sets of indices that go through its rules; rows
that share no column are pulled back together, columns that share no row are pushed forward
together.
"""
