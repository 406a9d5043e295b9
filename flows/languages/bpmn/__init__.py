"""Processes in BPMN 2.0: reading the XML, checks, and the flow that a process becomes."""

from flows.languages.bpmn.compiler.definition import CompiledProcess, compile_process, located
from flows.languages.bpmn.model import Process
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem
from flows.languages.bpmn.reader.process import read

__all__ = [
    "BadBpmn",
    "BpmnProblem",
    "CompiledProcess",
    "Process",
    "compile_process",
    "located",
    "read",
]
