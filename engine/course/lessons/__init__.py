"""The lessons: a module each, whose public functions are its steps (see lesson.py)."""
