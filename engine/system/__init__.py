"""Errors, files and the operating system; nothing here knows about chess."""
