"""What all tests share."""

from hypothesis import settings

# A kernel's first call loads or compiles it, and machines are shared: how long one example takes says nothing.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
