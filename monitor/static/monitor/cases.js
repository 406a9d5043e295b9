// Lists of cases, approvals and alerts: the forms of their filters.
import { filterForm } from "./filters.js";

export function start() {
  filterForm();
}
