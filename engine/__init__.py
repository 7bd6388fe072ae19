"""Adversary: a chess engine in Python whose hot code is compiled by Numba."""
