"""Which submissions resemble each other: overlaps of what was written, beside what right solutions share."""
