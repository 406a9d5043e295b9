// The page on which a person repairs an instance.
import { keepDraft } from "./draft.js";
import { looks } from "./look.js";

export function start() {
  keepDraft();
  looks();
}
