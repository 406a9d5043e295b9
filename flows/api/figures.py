"""Figures of flows and transitions in windows of time, and of the past."""

from flows.capabilities.figures import api as of_figures
from flows.capabilities.past import api as of_past

count_history = of_figures.count_history
of_flow = of_figures.figures
of_transitions = of_figures.transition_figures
places_at = of_past.places_at
