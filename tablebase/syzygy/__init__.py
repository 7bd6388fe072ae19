"""Syzygy tables that the user owns: opened, decoded in the kernel, and asked by the search and at the root."""
