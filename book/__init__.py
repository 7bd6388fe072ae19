"""The opening book: Polyglot files read, built and named."""
