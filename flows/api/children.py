"""Instances that an instance has started in other flows."""

from flows.capabilities.children import api

add = api.add_children
continue_children = api.continue_children
ends = api.child_ends
jobs = api.child_jobs
list = api.children
repaired = api.children_repaired
