"""absurd's worker: one durable task of three checkpointed steps."""

from __future__ import annotations

import signal
import types

from absurd_sdk import Absurd, TaskContext

from bench.peers.gate import arguments, wait_for_go

QUEUE = "bench"


def advance(params: dict[str, str], ctx: TaskContext) -> dict[str, str]:
    """Run the three steps; each is committed as a checkpoint before the next begins."""
    state = {"a1": "ready"}
    state["a2"] = ctx.step("tr_a2", lambda: "done")
    state["a3"] = ctx.step("tr_a3", lambda: "done")
    state["a1"] = ctx.step("tr_final", lambda: "final")
    return state


def main() -> None:
    """Serve the queue until SIGTERM."""
    options = arguments()
    app = Absurd(options.dsn, queue_name=QUEUE)
    app.register_task("advance")(advance)

    def stop(signum: int, frame: types.FrameType | None) -> None:
        app.stop_worker()

    signal.signal(signal.SIGTERM, stop)
    wait_for_go()
    # The SDK polls: the shortest interval at which an idle worker uses little CPU, and the batches it offers.
    batch = max(10, options.concurrency)
    app.start_worker(concurrency=options.concurrency, batch_size=batch, poll_interval=0.01)


if __name__ == "__main__":
    main()
