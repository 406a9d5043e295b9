"""Conditions: checks, completions, outlines and values."""

from flows.capabilities.conditions import api
from flows.capabilities.conditions import coverage as of_coverage

accepted = api.accepted_conditions
check = api.check_condition
check_definition = api.check_definition
completions = api.completions
coverage = of_coverage.coverage
evaluate = api.evaluate
outline = api.condition_outline
