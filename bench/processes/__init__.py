"""Tasks of people in WED-SQL and in two libraries: programs that perform them, beside each other."""
