// The entry point: parts of every page, then the page's own module. Without it pages work, but are not live.
import { ages } from "./ages.js";
import { steady } from "./steady.js";
import { themeButton } from "./theme.js";

themeButton();
ages();
steady();
// Menus close on Escape and on a click elsewhere.
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (open) { open.open = false; open.querySelector("summary").focus(); }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
const { module } = document.body.dataset;
if (module) import(module).then((page) => page.start());
