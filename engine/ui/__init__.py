"""Playing and analysing at a board: the model of a game between a person and the engine, and what shows it."""
