"""A graph written as a BPMN file."""
