"""PDL, the process definition language of WorkToDo: reading, checks, and the flow that a workflow becomes."""

from flows.languages.pdl.checks import check
from flows.languages.pdl.compiler import CompiledWorkflow, compile_workflow
from flows.languages.pdl.model import Library
from flows.languages.pdl.problems import BadPdl, PdlProblem
from flows.languages.pdl.reader import LARGEST, Text, check_size, read
from flows.languages.pdl.writer import write

__all__ = [
    "LARGEST",
    "BadPdl",
    "CompiledWorkflow",
    "Library",
    "PdlProblem",
    "Text",
    "check",
    "check_size",
    "compile_workflow",
    "read",
    "write",
]
