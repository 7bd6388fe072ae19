"""A human-like search, which overlooks what people overlook, for skill levels that a beginner can beat."""
