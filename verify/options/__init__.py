"""Options: the keywords of calls, of commands and of pytest, written once, and their defaults.

May import errors; nothing is imported that the start of a test run would feel.
"""
