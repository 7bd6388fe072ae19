"""The opening book: reading and building Polyglot files, and the names of openings."""
