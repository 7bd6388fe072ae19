"""Monte Carlo tree search: values positions by sampling what can follow, in a tree that grows where it matters most."""
