// The list of cases: the forms of its filter.
import { filterForm } from "./filters.js";

export function start() {
  filterForm();
}
