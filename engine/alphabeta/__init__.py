"""Alpha-beta search: from a position and limits to a move, a score and the principal variation."""
