"""Tuning of the search and training of what evaluates."""
