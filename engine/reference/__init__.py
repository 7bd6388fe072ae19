"""The textbook algorithms in plain Python over the formal game: the executable specification of the engine."""
