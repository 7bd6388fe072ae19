"""The commands of `python -m engine`, one file each. They may import anything; nobody imports them."""
