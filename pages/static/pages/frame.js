// What the header of every page does, the admin's included: theme, menus, search. Each works without it.
import { guardDevice } from "./device.js";
import { palette } from "./palette.js";
import { themeButton } from "./theme.js";
import { typed } from "./typed.js";

// The server shows times in the reader's zone, from the next page on.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.includes(`zone=${zone}`)) {
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
}
themeButton();
palette();
guardDevice();
typed();
// Menus close on Escape and on a click elsewhere.
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (open) { open.open = false; open.querySelector("summary").focus(); }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
