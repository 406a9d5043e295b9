// The list of jobs: as it is now, with the forms of its filter.
import { start as poll } from "../pages/polled.js";
import { filterForm } from "./filters.js";

export function start() {
  filterForm();
  poll();
}
