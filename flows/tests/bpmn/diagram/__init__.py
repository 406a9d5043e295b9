"""Tests of the diagrams of BPMN files."""
