"""Homework: stubs to fill in, and their grades. A student's file runs in a process of its own, with limits."""
