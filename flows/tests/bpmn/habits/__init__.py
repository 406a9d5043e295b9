"""What other tools write, and people draw though BPMN does not have it."""
