"""Conventions that come with symtape, a file each."""
