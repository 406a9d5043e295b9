"""Cases: the work of people on exceptions, which opens with an exception and ends with it."""
