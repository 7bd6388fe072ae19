"""The user's Syzygy tables: opened, decoded in kernels, and probed in the search and at the root."""
