"""A human-like search, which overlooks what people overlook, for all but the strongest skill levels."""
