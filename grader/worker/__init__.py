"""The only code that meets student code: loads it, drives it and measures it."""
