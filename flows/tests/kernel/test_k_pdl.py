"""PDL as flows: the process Manutencao, latched dependencies, and processes that end early (T-031, T-092)."""

from __future__ import annotations

import pytest

from flows import api
from flows.languages.pdl import compile_workflow, read
from flows.tests.kit import Kit, broken
from flows.tests.pdl import publish, states, texts

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def manutencao(kit: Kit) -> int:
    definition = compile_workflow(read(texts())[0]).compiled.definition
    api.publish(kit.name, definition, conn=kit.conn)
    return kit.start(instance_name="Manutencao_001")


def test_t225_manutencao_runs_to_its_end_along_both_branches(kit: Kit) -> None:
    for order in (("armazenar", "enviar"), ("enviar", "armazenar")):
        wid = manutencao(kit)
        assert kit.jobs(wid) == ["criar_ordem_servico"]
        assert kit.run("criar_ordem_servico", wid, ordem_servico={"name": "1.txt"}).status == "R"
        kit.run("visitar_cliente", wid)
        assert kit.jobs(wid) == ["gerar_ordem_pagamento"]
        kit.run("gerar_ordem_pagamento", wid, ordem_pagamento={"name": "2.txt"})
        assert kit.jobs(wid) == ["armazenar_debito_cliente", "enviar_ordem_pagamento"]
        full = {"armazenar": "armazenar_debito_cliente", "enviar": "enviar_ordem_pagamento"}
        assert [kit.run(full[each], wid).status for each in order] == ["R", "F"]
        assert kit.state(wid)["instance_name"] == "Manutencao_001"
    assert broken(kit) == []
