"""SQL as psql sends it, by the web's role and by the flow's own role, which may define and start."""

from __future__ import annotations

from chaos import hostile
from chaos.interfaces.target import FLOW, Connection, Target

# The flow's own role may insert, update and delete here; a rejected statement must leave no trace.
_MAY = [
    "insert into attacked.wed_trig (trname, cpred) values (%s, %s)",
    "insert into attacked.wed_trig (cpred, cfinal) values (%s, %s = '')",
    "insert into attacked.wed_attr (aname, adv) values (%s, %s)",
    "insert into attacked.wed_attr (aname, type) values (%s, %s)",
    "update attacked.wed_attr set adv = %s where aname = %s",
    "update attacked.wed_attr set aname = %s where adv = %s",
    "update attacked.wed_trig set cpred = %s where trname <> %s",
    "update attacked.wed_trig set writes = array[%s, %s]",
    "insert into attacked.wed_flow (a, b) values (%s, %s)",
    "insert into attacked.wed_flow (a, j) values (%s, to_jsonb(%s::text))",
    "insert into attacked.wed_flow (a, n) values (%s, length(%s))",
    "update attacked.wed_flow set a = %s, b = %s",
    "select * from attacked.start_many(array[jsonb_build_object(%s::text, %s::text)])",
    "select wedsql.check_predicate(%s, %s)",
    "select wedsql.start(%s, jsonb_build_object('a', %s::text))",
]


class SqlAttacks:
    """Returns 'accepted', or raises the error that psql would show."""

    def __init__(self, target: Target, psql: Connection) -> None:
        self.target = target
        self.psql = psql

    def attack(self) -> str:
        """Run a forbidden statement as either role, or a permitted one with hostile values."""
        if self.target.choose(range(10)) < 4:
            return self._forbidden(self.target.choose([self.psql, self.target.conn]))
        values = (self.target.text(), self.target.text())
        if not all(map(hostile.storable, values)):
            return "not sent"  # psql could not send it
        statement = self.target.choose(_MAY)
        before = self._rows()
        self.psql.execute(statement, values)
        self.target.accepted += self._rows() - before
        self._repair(statement)
        return "accepted"

    def _forbidden(self, conn: Connection) -> str:
        statement = self.target.choose(hostile.FORBIDDEN)
        conn.execute(statement)
        conn.execute("reset role; reset session authorization")
        self.target.report("sql", f"was allowed: {statement}")
        return "accepted"

    def _rows(self) -> int:
        return self.target.count("select count(*) from attacked.wed_flow")

    def _repair(self, statement: str) -> None:
        """Restore a definition that was accepted, so that the next attack finds the same flow."""
        if "wed_trig" in statement or "wed_attr" in statement:
            self.target.restore()


def open_role(admin: Connection) -> str:
    """Create the log-in role of the flow and return its name."""
    admin.execute("select wedsql.open_flow_role(%s)", (FLOW,))
    return FLOW
