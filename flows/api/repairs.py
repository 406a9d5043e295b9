"""Repairs of exceptions, with previews, policies, suggestions and late results."""

from flows.capabilities.recovery import api, late, policies, proposed_rules
from flows.capabilities.recovery import suggestions as of_suggestions

decide_late = late.decide_late
deciding_rules = policies.deciding_rules
draft_proposed_rule = proposed_rules.draft_proposed_rule
last = api.last_repair
late_results = late.late_results
list_policies = policies.list_policies
preventable_cases = proposed_rules.preventable_cases
preview = api.preview_repair
proposed_rule = proposed_rules.proposed_rule
repair = api.repair
run_policies = policies.run_policies
save_policies = policies.save_policies
suggestions = of_suggestions.suggestions
