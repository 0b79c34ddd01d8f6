"""The page of a comparison."""

from grader.report.compare_page.document import document

__all__ = ["document"]
