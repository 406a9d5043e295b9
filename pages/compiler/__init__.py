"""Templates of Django, rendered in a third of the time: the same tags, the same output.

Django's nodes look up, convert and escape each value by the most general way. Here a parsed template is
compiled once to functions that take the short way where the outcome is the same, and Django's own way
otherwise: for tags that are not known here, values of rare types, whatever is missing or fails.
"""
