"""Fixtures and options of all tests."""

import signal

from hypothesis import settings

# A kernel's first call loads or compiles it, and machines are shared: how long one example takes says nothing.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell starts jobs in the background with Ctrl-C ignored, and programs inherit that: tests interrupt some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
