"""Steps of a history as pages show them: as a list, a timeline or a tree."""
