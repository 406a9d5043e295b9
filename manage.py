#!/usr/bin/env python
"""Django's command line; starts the embedded PostgreSQL first when the command needs a database."""

import os
import sys

from wedsql_site.environment import BadEnvironment
from wedsql_site.ondemand import start_database_for


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wedsql_site.settings")
    try:
        start_database_for(sys.argv)
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except BadEnvironment as error:
        sys.exit(f"wedsql: {error}")


if __name__ == "__main__":
    main()
