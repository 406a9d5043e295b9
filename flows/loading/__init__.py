"""Definitions as SQL files, and files of any kind into the database."""

from flows.loading.dump import as_sql
from flows.loading.load import LoadError, load_definition, load_sql

__all__ = ["LoadError", "as_sql", "load_definition", "load_sql"]
