"""Many submissions: intake of folders and archives, batches, comparison."""
