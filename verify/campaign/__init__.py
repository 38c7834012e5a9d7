"""Campaigns: many cases, found in files and suites, run in workers under limits.

May import reports and what is below.
"""
