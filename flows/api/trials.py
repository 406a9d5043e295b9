"""Definitions tried on invented instances, scenarios, and what publishing would do."""

from flows.capabilities.trials import api, replays, scenarios
from flows.capabilities.trials import impact as of_impact

delete_scenario = scenarios.delete_scenario
deviations = of_impact.deviations
explain = api.explain
impact = of_impact.impact
list_scenarios = scenarios.list_scenarios
nearest = api.nearest
read_scenario = scenarios.read_scenario
replay = replays.replay
run_scenario = scenarios.run_scenario
run_scenarios = scenarios.run_scenarios
save_scenario = scenarios.save_scenario
scenario_path = scenarios.scenario_path
try_complete = api.try_complete
try_due = api.try_due
try_path = scenarios.try_path
try_start = api.try_start
what_if = of_impact.what_if
