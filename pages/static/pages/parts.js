// Parts that the server sent, as changes of the page.
import { becoming } from "./steady.js";

export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

export const parseRow = (html) => parse(`<table><tbody>${html}</tbody></table>`).querySelector("tr");

export function parts(found) {
  return Object.entries(found).flatMap(([name, html]) => {
    const place = document.querySelector(`[data-part="${name}"]`);
    if (!place) return [];
    const fresh = place.cloneNode(false);
    fresh.append(parse(html));
    return [becoming(name, place, fresh)];
  });
}

export function flash(row) {
  row.classList.remove("flash");
  void row.offsetWidth;
  row.classList.add("flash");
}
