"""The report: an analysis or a sizing as one HTML page to hand to a colleague."""

from gearwright.report.page import report

__all__ = ["report"]
