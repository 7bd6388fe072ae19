"""Monte Carlo tree search: the value of a position by sampling what can follow, in a tree that grows where it pays."""
