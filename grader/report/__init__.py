"""The result as data, and its renderings. Every rendering is a pure function of the report."""
