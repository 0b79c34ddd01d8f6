"""Is it right: comparison, tolerances, the search for the smallest counterexample, the sentence."""
