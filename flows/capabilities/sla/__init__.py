"""SLAs: the time within which something of an instance must be done, by calendars of working time."""
