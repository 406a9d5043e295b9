"""Writing definitions as SQL files, and loading definitions from files."""

from flows.loading.dump import as_sql
from flows.loading.load import LoadError, load_definition, load_sql
from flows.loading.reader import read_sql

__all__ = ["LoadError", "as_sql", "load_definition", "load_sql", "read_sql"]
