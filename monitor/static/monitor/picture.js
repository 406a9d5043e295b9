// The live picture of a flow: what waits where, as numbers and colours that follow each commit.
import { start as startPicture } from "../flows/designer/picture.js";
import { LivePage, fetchJson } from "../pages/live.js";
import { parts } from "../pages/parts.js";
import { update } from "../pages/steady.js";
import { timeControl } from "./time.js";

// Counting costs the database more than a list does.
const PAUSE_MS = 2_000, AGES_MS = 5_000;

export function start() {
  timeControl();
  const figures = document.getElementById("picture-figures");
  const picture = figures && startPicture(JSON.parse(figures.textContent));
  if (!picture) return;
  async function refresh() {
    const answer = await fetchJson(picture.panel.dataset.changes);
    update(parts(answer.parts));
    picture.show(answer.figures);
  }
  setInterval(() => picture.show(), AGES_MS);
  new LivePage(refresh, { pause: PAUSE_MS }).start();
}
