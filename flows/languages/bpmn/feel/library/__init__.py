"""The built-in functions of FEEL, by what they are about."""
