"""`python -m wedsql_site COMMAND`: manage.py where there is no checkout."""

from wedsql_site.command_line import manage

if __name__ == "__main__":
    manage()
