// The trial page: the scenarios are run after the page is shown, and a node of the tree opens its state.
import { fill } from "./fragment.js";

export async function start() {
  document.querySelector(".tree-picture")?.addEventListener("click", (event) => {
    const node = event.target.closest("a");
    const button = node && document.querySelector(`${node.getAttribute("href")} > .rule-head > button`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  await fill(document.getElementById("scenarios"));
}
