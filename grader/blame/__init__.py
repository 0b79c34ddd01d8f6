"""Why it is wrong: puts the reference's functions in place of a submission's until the fault is named."""
