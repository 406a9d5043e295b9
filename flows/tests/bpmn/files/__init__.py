"""Files in BPMN on which tests are run."""
