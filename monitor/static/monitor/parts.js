// Putting fresh HTML from our own server in the place of old HTML, without pulling the page from under the reader.
import { refreshAges } from "./ages.js";

export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// Ages differ in every answer and are kept by a clock of their own: they do not count as a change.
function essence(element) {
  const copy = element.cloneNode(true);
  for (const time of copy.querySelectorAll("time[data-age]")) time.textContent = "";
  copy.classList?.remove("flash");
  return copy.innerHTML;
}

function focusPath(root) {
  const active = document.activeElement;
  if (!root.contains(active) || active === root) return null;
  return [...root.querySelectorAll("a, button, summary, [tabindex]")].indexOf(active);
}

export function replace(old, fresh) {
  if (essence(old) === essence(fresh) && old.className.replace("flash", "").trim() === fresh.className.trim()) return false;
  const index = focusPath(old);
  const open = [...old.querySelectorAll("details")].map((details) => details.open);
  old.className = fresh.className;
  for (const { name, value } of fresh.attributes) if (name !== "class") old.setAttribute(name, value);
  old.replaceChildren(...fresh.childNodes);
  old.querySelectorAll("details").forEach((details, at) => { if (at in open) details.open = open[at]; });
  if (index !== null && index >= 0) old.querySelectorAll("a, button, summary, [tabindex]")[index]?.focus({ preventScroll: true });
  refreshAges(old);
  return true;
}

export function replaceParts(parts) {
  for (const [name, html] of Object.entries(parts)) {
    const place = document.querySelector(`[data-part="${name}"]`);
    if (!place) continue;
    const fresh = place.cloneNode(false);
    fresh.append(parse(html));
    replace(place, fresh);
  }
}

export function flash(row) {
  row.classList.remove("flash");
  void row.offsetWidth;
  row.classList.add("flash");
}
