"""The same in Portuguese."""

from wedsql_site.formats.en.formats import DATE_FORMAT, DATETIME_FORMAT

__all__ = ["DATETIME_FORMAT", "DATE_FORMAT"]
