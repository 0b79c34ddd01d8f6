"""Starts workers, limits them and talks to them; knows nothing of homework."""
