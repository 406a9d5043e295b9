"""Handlers of the example “Loan”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_loan_score", simulate=lambda state: [{"score": 750}, {"score": 640}])
def score(state: State, ctx: Context) -> Changes:
    """Score by how many months of income the amount is."""
    months = int(state["amount"]) / max(int(state["income"]), 1)
    return {"score": max(300, 850 - round(40 * months))}


@transition("sample_loan_grant", simulate=lambda state: {"decision": "granted"})
def grant(state: State, ctx: Context) -> Changes:
    return {"decision": "granted"}


@transition("sample_loan_decide", simulate=lambda state: [{"decision": "granted"}, {"decision": "refused"}])
def decide(state: State, ctx: Context) -> Changes:
    """Stand in for the person who decides."""
    return {"decision": "granted" if int(state["score"]) >= 600 else "refused"}


@transition("sample_loan_contract", simulate=lambda state: {"contract": "C-1"})
def write_contract(state: State, ctx: Context) -> Changes:
    return {"contract": f"C-{ctx.wid}"}


@transition("sample_loan_pay_out", simulate=lambda state: {"paid_out": True})
def pay_out(state: State, ctx: Context) -> Changes:
    return {"paid_out": True}
