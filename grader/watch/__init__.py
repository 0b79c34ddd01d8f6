"""Grades again on save what the saved file can affect, and says what has changed since the last run."""
