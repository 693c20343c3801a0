"""The report: an analysis or a sizing as one HTML page."""

from gearwright.report.page import report

__all__ = ["report"]
