"""Tuning the features' weights and the WDL model from games."""
