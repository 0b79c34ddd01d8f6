"""A class's reports side by side: what they have in common, what changed, as plain data."""
