"""What is right: float64 numpy truth, finite differences, and the mistakes that people make."""
