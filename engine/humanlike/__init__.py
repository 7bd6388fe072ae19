"""A search that sees as little as people do, and overlooks what they overlook: for levels that a beginner can beat."""
