"""The names of the sides in sentences: chess players write White and Black with capitals."""

SIDE_NAMES = ("Black", "White")  # by python-chess's colours
