// The trial page: the scenarios are run after the page is shown, a node of the tree opens its state, and a phone
// shows the rules, which are below the fields of the state there.
import { fill } from "./fragment.js";

export async function start() {
  const tree = document.querySelector(".tree-picture");
  if (tree) {
    // The state from which the tree begins stands in the middle of its height.
    const now = tree.querySelector(".node rect");
    tree.scrollTop = Number(now.getAttribute("y")) - tree.clientHeight / 2;
  }
  tree?.addEventListener("click", (event) => {
    const node = event.target.closest("a");
    const button = node && document.querySelector(`${node.getAttribute("href")} > .rule-head > button`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  const narrow = matchMedia("(max-width: 52rem)").matches;
  if (narrow && !location.hash && !document.querySelector(".note-error")) {
    document.querySelector(".trial-rules:has(.rule)")?.scrollIntoView();
  }
  await fill(document.getElementById("scenarios"));
}
