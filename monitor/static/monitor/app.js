// The one entry: small things for every page, then the page's own module. Everything works without it, only not live.
import { ages } from "./ages.js";
import { steady } from "./steady.js";
import { themeButton } from "./theme.js";

const PAGES = {
  flows: () => import("./page-flows.js"),
  flow: () => import("./page-flow.js"),
  instance: () => import("./page-instance.js"),
  polled: () => import("./page-polled.js"),
};

themeButton();
ages();
steady();
// A menu closes as people expect: by Escape and by a click elsewhere.
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (open) { open.open = false; open.querySelector("summary").focus(); }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
PAGES[document.body.dataset.page]?.().then((page) => page.start());
