"""The report: one page that an engineer puts on a colleague's desk."""

from gearwright.report.page import report

__all__ = ["report"]
