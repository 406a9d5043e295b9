"""The paper's client for WED-workers: write `wed_trans` in a class of your own and call `run()`.

Needs psycopg 3 and a connection to a WED-SQL database; knows nothing of Django.
"""

from BaseWorker.base import BadWorker, BaseClass

__all__ = ["BadWorker", "BaseClass"]
