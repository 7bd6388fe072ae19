"""Searches, players, levels and evaluations compared with each other."""
