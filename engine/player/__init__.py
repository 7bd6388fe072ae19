"""One engine with one game: options, requests, book, root tables, skill and timing."""
