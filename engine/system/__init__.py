"""The ground: errors, files and the operating system. No chess in it."""
