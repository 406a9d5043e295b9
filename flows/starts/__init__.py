"""Instances started from the rows of a CSV file: read, checked, and started with a result for each row."""

from __future__ import annotations

from flows.starts.batches import Result, as_rows, check, known, start
from flows.starts.csv_rows import Problem, Row, Upload, read

__all__ = ["Problem", "Result", "Row", "Upload", "as_rows", "check", "known", "read", "start"]
