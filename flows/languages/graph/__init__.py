"""Processes as graphs of nodes and edges: reading, checks, and the order in which a scheduler walks them."""

from flows.languages.graph.checks import check
from flows.languages.graph.compiler import compile_graph
from flows.languages.graph.model import Edge, Graph, Node
from flows.languages.graph.parts import Compiled, source_of
from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.graph.reader import read
from flows.languages.graph.scheduler import MOST_STEPS, Choices, Step, Walk, walk

__all__ = [
    "MOST_STEPS",
    "BadGraph",
    "Choices",
    "Compiled",
    "Edge",
    "Graph",
    "Node",
    "Problem",
    "Step",
    "Walk",
    "check",
    "compile_graph",
    "read",
    "source_of",
    "walk",
]
