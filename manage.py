#!/usr/bin/env python
"""Django's command line; starts the embedded PostgreSQL first when the command needs a database."""

from wedsql_site.command_line import manage

if __name__ == "__main__":
    manage()
