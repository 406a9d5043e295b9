// The page of a task: its form, what a broken line means for it, and whether to perform it on this device.
import { start as startForm } from "./task.js";
import { watchLine } from "./task_line.js";
import { showPlace } from "./task_place.js";

export function start() {
  startForm();
  const watched = document.querySelector("[data-line-note]"), place = document.querySelector("[data-place]");
  if (watched) watchLine(watched);
  if (place) showPlace(place);
}
