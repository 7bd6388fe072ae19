"""The textbook algorithms in plain Python over formal games: the executable specification of the engine's searches."""
