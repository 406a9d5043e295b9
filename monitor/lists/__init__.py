"""What the lists of cases, jobs, approvals and alerts share."""
