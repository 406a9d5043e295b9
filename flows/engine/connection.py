"""What the modules of the API call the kernel with; capabilities import it from flows.statements."""

from flows.statements import (
    JSON,
    State,
    driver,
    in_transaction,
    quoted,
    read_as,
    rows,
    run,
    to_json,
    typed_error,
    value,
)

__all__ = [
    "JSON", "State", "driver", "in_transaction", "quoted", "read_as", "rows", "run", "to_json", "typed_error",
    "value",
]  # fmt: skip
