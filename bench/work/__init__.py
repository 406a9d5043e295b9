"""The work of the bench as a Django app: figure 2 of the paper with trivial handlers."""
