// The page Worker keys: the new secret can be copied.
import { copyButtons } from "../pages/copy.js";

export function start() {
  copyButtons();
}
