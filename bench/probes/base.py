"""What a probe gets to work with."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cluster import Cluster


@dataclass(frozen=True)
class Stage:
    """The run's server and whether the short form is wanted."""

    cluster: Cluster
    quick: bool
