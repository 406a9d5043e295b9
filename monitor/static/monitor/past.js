// A page as of a moment in the past: nothing on it changes.
import { filterForm } from "./filters.js";
import { timeControl } from "./time.js";

export function start() {
  filterForm();
  timeControl();
}
