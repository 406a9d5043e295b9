// The diagram of a flow: its numbers follow each commit.
import { LivePage, fetchJson } from "../pages/live.js";
import { parts } from "../pages/parts.js";
import { update } from "../pages/steady.js";

// Counting costs the database more than a list does.
const PAUSE_MS = 2_000;

export function start() {
  const diagram = document.getElementById("diagram");
  const refresh = async () => update(parts((await fetchJson(diagram.dataset.changes)).parts));
  new LivePage(refresh, { pause: PAUSE_MS }).start();
}
