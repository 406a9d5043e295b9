"""Endpoints of files of cases. Contents are base64, so that no response is taken for a page."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Status

from flows import api as kernel
from monitor.api import inputs
from monitor.api.caller import Needs
from monitor.api.routing import READ_SHOWN, REPAIR_SHOWN, call_of, number_of, router
from monitor.cases import schemas as case_schemas
from monitor.cases.uploads import limits

OTHER_PARTS = 64 * 1024  # of a body: the name and what JSON adds
ATTACH = Needs("handle", masks=True, most=lambda: limits().size * 4 // 3 + OTHER_PARTS)


@router.get(
    "/cases/{int:case}/files", response=case_schemas.CaseFilesOut, auth=READ_SHOWN, summary="Files of a case"
)
def case_files(request: HttpRequest, case: int) -> Any:
    """Return the files that people attached to a case."""
    found = kernel.cases.list_files(kernel.cases.read(case).wid)
    return {"items": [asdict(each) for each in found if each.case == case]}


@router.post(
    "/cases/{int:case}/files",
    response={201: case_schemas.CaseFileOut},
    auth=ATTACH,
    summary="Attach a file to a case",
)
def attach_case_file(request: HttpRequest, case: int, given: inputs.CaseFileIn) -> Any:
    """Attach a file to a case, open or closed. Its name is made safe."""
    actor = call_of(request).caller.name
    made = kernel.cases.attach_file(case, given.name, given.content, limits(), actor)
    return Status(201, asdict(made))


@router.get(
    "/cases/{int:case}/files/{int:file}",
    response=case_schemas.CaseFileContentOut,
    auth=READ_SHOWN,
    summary="A file of a case",
)
def case_file(request: HttpRequest, case: int, file: int) -> Any:
    """Return a file with its content."""
    found, content = kernel.cases.read_file(case, number_of(file))
    return asdict(found) | {"content": b64encode(content).decode()}


@router.delete(
    "/cases/{int:case}/files/{int:file}",
    response={204: None},
    auth=REPAIR_SHOWN,
    summary="Remove a file of a case",
)
def remove_case_file(request: HttpRequest, case: int, file: int) -> Any:
    """Remove a file that the caller attached; who may repair removes those of others, too."""
    call = call_of(request)
    every = call.flow is not None and call.caller.may("repair", call.flow.name)
    kernel.cases.remove_file(case, number_of(file), call.caller.name, any_user=every)
    return Status(204, None)
