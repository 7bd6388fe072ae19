"""Expectimax: the best move against an opponent who is no adversary, but a fallible player; and the random mover."""
