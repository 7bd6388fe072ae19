"""The rules of chess over one Position record; imports nothing above it."""
