"""Expectimax: the best move against a fallible opponent instead of a perfect adversary; and the random mover."""
