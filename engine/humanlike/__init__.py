"""A human-like search, which overlooks what people overlook, for the skill levels up to 2110."""
