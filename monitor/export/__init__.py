"""Lists as files: CSV, XLSX and JSON lines, written while they are read."""
