"""The handlers of the gallery's examples and patterns, found like those of any installed app.

Their transitions begin with `sample_` and `pattern_`, so that they never have the name of a transition of
yours. A handler that names your flow takes precedence over them.
"""

from workers.gallery import pattern_handlers
from workers.gallery.choice import handlers as choice
from workers.gallery.compensation import handlers as compensation
from workers.gallery.escalation import handlers as escalation
from workers.gallery.field_visit import handlers as field_visit
from workers.gallery.four_eyes import handlers as four_eyes
from workers.gallery.loan import handlers as loan
from workers.gallery.loop import handlers as loop
from workers.gallery.manutencao import handlers as manutencao
from workers.gallery.order import handlers as order
from workers.gallery.parallel import handlers as parallel
from workers.gallery.sequence import handlers as sequence

__all__ = [
    "choice",
    "compensation",
    "escalation",
    "field_visit",
    "four_eyes",
    "loan",
    "loop",
    "manutencao",
    "order",
    "parallel",
    "pattern_handlers",
    "sequence",
]
