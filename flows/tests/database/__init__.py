"""Tests of the tables, of releases and of the functions that the kernel installs."""
