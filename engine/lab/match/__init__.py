"""Matches between two engines or two configs of this one."""
