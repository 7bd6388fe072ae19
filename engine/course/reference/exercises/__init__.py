"""Exercises: questions made by chance, whose answers the textbook algorithms find."""
