"""`python -m wedsql_site COMMAND`: manage.py for installations without a checkout."""

from wedsql_site.command_line import manage

if __name__ == "__main__":
    manage()
