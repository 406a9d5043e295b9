"""What tests, chaos and bench share: processes, servers, a browser's side of pages, installations."""
