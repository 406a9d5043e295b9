// The picture of a flow as of a moment in the past: its figures do not change.
import { start as startPicture } from "../flows/designer/picture.js";
import { timeControl } from "./time.js";

export function start() {
  timeControl();
  const figures = document.getElementById("picture-figures");
  if (figures) startPicture(JSON.parse(figures.textContent));
}
