"""One command that starts, watches and stops every process of an installation on one machine."""
