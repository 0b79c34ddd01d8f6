"""An offline grader for the homework of CMU 10-414/714, Deep Learning Systems."""

__version__ = "0.1.0"
