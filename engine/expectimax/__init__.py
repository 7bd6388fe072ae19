"""Expectimax, which finds the best move against a fallible opponent; and the random mover."""
