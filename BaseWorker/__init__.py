"""The paper's client for WED-workers: implement `wed_trans` in a subclass and call `run()`.

Needs psycopg 3 and a connection to a WED-SQL database, but not Django.
"""

from BaseWorker.base import BadWorker, BaseClass
from BaseWorker.group import WorkerGroup

__all__ = ["BadWorker", "BaseClass", "WorkerGroup"]
