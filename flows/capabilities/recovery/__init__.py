"""Recovery: repairs of instances by people and policies, compensations, and results that came too late."""
