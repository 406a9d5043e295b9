// The search over the page: Ctrl-K or / opens it, arrows choose, Enter opens, Escape closes. It is a combobox
// with a listbox; the focus stays in the field, and goes back to where it was when the search closes.
import { singleKeys } from "./keys.js";

const WAIT = 120;

export function palette() {
  const dialog = document.getElementById("palette");
  if (!dialog?.showModal) return;
  const [input, list, status, note] = ["input", "list", "status", "note"].map((part) => document.getElementById(`palette-${part}`));
  const words = dialog.dataset;
  let timer, asking, chosen = -1, before, entered = false;

  const busy = (yes) => list.setAttribute("aria-busy", String(yes));
  const options = () => [...list.querySelectorAll("[role=option]")];

  function open() {
    if (dialog.open) return;
    before = document.activeElement;
    entered = false;
    input.value = "";
    dialog.showModal();
    input.focus();
    ask();
  }

  function choose(place) {
    const all = options();
    chosen = all.length && place !== null ? (place + all.length) % all.length : -1;
    for (const [n, option] of all.entries()) option.setAttribute("aria-selected", String(n === chosen));
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", all[chosen].id);
    all[chosen].scrollIntoView({ block: "nearest" });
  }

  function show({ groups, note: searched = "" }) {
    let count = 0;
    busy(false);
    list.replaceChildren(...groups.map(({ title, results }, n) => {
      const group = element("div", "", { role: "group", "aria-labelledby": `palette-group-${n}` });
      group.append(element("p", title, { id: `palette-group-${n}`, class: "palette-group", role: "presentation" }));
      for (const result of results) {
        const option = element("a", "", { role: "option", id: `palette-${count++}`, href: result.address, tabindex: "-1" });
        option.append(element("span", result.title), element("span", result.about, { class: "dim small" }));
        group.append(option);
      }
      return group;
    }));
    input.setAttribute("aria-expanded", String(count > 0));
    status.textContent = count ? words.tFound.replace("#", count) : words.tNone;
    note.textContent = searched;
    choose(input.value ? 0 : null);
    if (entered) options()[chosen]?.click();
    entered = false;
  }

  async function ask() {
    busy(true);
    asking?.abort();
    asking = new AbortController();
    try {
      const address = `${words.results}?q=${encodeURIComponent(input.value)}`;
      const answer = await fetch(address, { signal: asking.signal, headers: { Accept: "application/json" } });
      if (answer.status === 401) return location.reload();
      if (!answer.ok) throw new Error(String(answer.status));
      show(await answer.json());
    } catch (error) {
      if (error.name === "AbortError") return;
      show({ groups: [] });
      status.textContent = words.tFailed;
    }
  }

  input.addEventListener("input", () => {
    entered = false;
    busy(true);
    asking?.abort();
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    const move = { ArrowDown: chosen + 1, ArrowUp: chosen < 0 ? -1 : chosen - 1 }[event.key];
    if (event.isComposing) return;
    if (move !== undefined) { event.preventDefault(); choose(move); }
    // Enter before the results of the text are there opens the first of them.
    if (event.key === "Enter" && list.getAttribute("aria-busy") === "true") { event.preventDefault(); entered = true; }
    else if (event.key === "Enter" && options()[chosen]) { event.preventDefault(); options()[chosen].click(); }
    // Browsers clear a search field by Escape first.
    if (event.key === "Escape") { event.preventDefault(); dialog.close(); }
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { asking?.abort(); clearTimeout(timer); before?.focus?.(); });
  document.getElementById("search-open")?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const wanted = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && singleKeys();
    if (!wanted && !slash) return;
    if (wanted && dialog.open) { event.preventDefault(); return dialog.close(); }
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    open();
  });
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
