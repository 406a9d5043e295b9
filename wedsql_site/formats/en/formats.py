"""Dates and times as all pages have them, instead of those of the language."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i"
