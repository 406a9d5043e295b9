"""A BPMN file as XML: its characters, elements, references, options and layout."""
