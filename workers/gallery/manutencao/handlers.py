"""Handlers of the example “A workflow of tasks”; a task has succeeded unless its state is FAILED."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_manutencao_criar_ordem_servico", simulate=lambda state: {})
def write_order(state: State, ctx: Context) -> Changes:
    """Stand in for the clerk."""
    return {"ordem_servico": {"name": f"/orders/{ctx.wid}.txt"}}


@transition(
    "sample_manutencao_visitar_cliente",
    simulate=lambda state: [{}, {"visitar_cliente": "FAILED"}],
)
def visit(state: State, ctx: Context) -> Changes:
    """Stand in for the technician."""
    return {"visitar_cliente": "SUCCEEDED"}


@transition("sample_manutencao_gerar_ordem_pagamento", simulate=lambda state: {})
def make_bill(state: State, ctx: Context) -> Changes:
    return {"ordem_pagamento": {"name": f"/bills/{ctx.wid}.txt"}}


@transition("sample_manutencao_armazenar_debito_cliente", simulate=lambda state: {})
def store_debt(state: State, ctx: Context) -> Changes:
    return {"debitos_clientes": {"name": "/debts.txt", "last": ctx.wid}}


@transition("sample_manutencao_enviar_ordem_pagamento", simulate=lambda state: {})
def bring_bill(state: State, ctx: Context) -> Changes:
    """Stand in for the office boy."""
    return {}
