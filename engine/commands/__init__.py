"""The commands of `python -m engine`, one file each. They may import any module; only `__main__` imports them."""
