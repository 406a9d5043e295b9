// The page with the picture of a flow: select, find, open groups, show a neighbourhood, export.
import { showChosen } from "./chosen.js";
import { around, folded, read, withShares } from "./contents.js";
import { annotate, draw } from "./drawing.js";
import { savePng, saveSvg } from "./exports.js";
import { placed } from "./layout.js";
import { Notes } from "./notes.js";
import { Viewport } from "./viewport.js";

// A part with more nodes is drawn with groups; one with fewer is not.
const READABLE = 60;

class Picture {
  // With figures of the present the boxes show them.
  constructor(sent, figures) {
    this.data = read(sent);
    this.tools = document.querySelector(".picture-tools");
    this.panel = document.getElementById("picture");
    this.svg = this.panel.querySelector("svg");
    this.details = document.getElementById("picture-chosen");
    this.status = document.getElementById("picture-status");
    this.tools.hidden = this.panel.hidden = false;
    const { tDisabled, tRules, tOpen, tClose, tNever, tWaiting, tHolds, tFailed } = this.panel.dataset;
    this.words = { disabled: tDisabled, rules: tRules, open: tOpen, close: tClose, never: tNever };
    this.notes = figures && new Notes(figures, { waiting: tWaiting, holds: tHolds, failed: tFailed }, this.data.groups);
    this.viewport = new Viewport(this.svg);
    this.readAddress();
    this.redraw();
  }

  // The address has what is shown: the node, the steps around it, the open groups, the dashed edges.
  readAddress() {
    const asked = new URLSearchParams(location.search);
    const known = new Set(this.data.nodes.map((node) => node.id));
    this.selected = known.has(asked.get("node")) ? asked.get("node") : null;
    this.open = new Set((asked.get("open") ?? "").split(",").filter(Boolean));
    const { steps } = this.tools.elements;
    steps.value = ["1", "2", "3"].includes(asked.get("steps")) ? asked.get("steps") : "";
    // Not chosen: dashed edges are drawn, and followed to neighbours, if they are few.
    this.sparse = this.data.edges.filter((edge) => !edge.count).length <= 2 * this.data.nodes.length;
    this.never = asked.has("never") ? asked.get("never") === "1" : null;
    if (this.selected && !steps.value) this.openFor(this.selected);
  }

  writeAddress() {
    const { steps } = this.tools.elements;
    const shown = new URLSearchParams();
    if (this.selected) shown.set("node", this.selected);
    if (steps.value) shown.set("steps", steps.value);
    if (this.open.size) shown.set("open", [...this.open].join(","));
    if (this.never !== null) shown.set("never", this.never ? "1" : "0");
    history.replaceState(null, "", `${location.pathname}${shown.size ? "?" : ""}${shown}`);
  }

  openFor(id) {
    const group = this.data.groupOf.get(id);
    if (!group || this.open.has(group)) return false;
    this.open.add(group);
    return true;
  }

  part() {
    const steps = Number(this.tools.elements.steps.value);
    const part = steps ? around(this.data, this.selected ?? "start", steps, this.never ?? this.sparse) : this.data;
    const plain = part.nodes.length <= READABLE || !part.groups.length;
    const shown = plain ? { nodes: part.nodes, edges: part.edges, frames: [] } : folded(part, this.open);
    const edges = withShares(this.dashed(shown));
    return { ...shown, edges, groupOf: part.groupOf };
  }

  // The edges to draw: without the dashed ones if these are hidden, or too many.
  dashed({ nodes, edges }) {
    const happened = edges.filter((edge) => edge.count), number = edges.length - happened.length;
    const { never } = this.tools.elements;
    never.checked = this.never ?? number <= 2 * nodes.length;
    never.closest("label").hidden = !number;
    document.getElementById("picture-never").textContent = `(${number.toLocaleString(document.documentElement.lang)})`;
    return never.checked ? edges : happened;
  }

  redraw() {
    this.drawn = placed(this.part(), this.words, this.notes);
    draw(this.svg, this.drawn, this.words);
    if (this.notes) annotate(this.svg, this.drawn, this.notes);
    showChosen(this.details, this.selected);
    this.viewport.fit(this.drawn.width, this.drawn.height);
    const chosen = this.place(this.selected);
    if (chosen && !this.viewport.readable) this.viewport.centre(chosen);
    this.mark();
    this.writeAddress();
  }

  // Shows the present again: other figures, or the same ones later.
  show(figures) {
    if (figures) this.notes.set(figures);
    annotate(this.svg, this.drawn, this.notes);
    showChosen(this.details, this.selected);
  }

  mark() {
    const { selected } = this;
    for (const node of this.svg.querySelectorAll(".node")) node.classList.toggle("selected", node.dataset.id === selected);
    const near = new Set([selected]);
    for (const { source, target } of this.drawn.edges) {
      if (source === selected) near.add(target);
      if (target === selected) near.add(source);
    }
    const all = !this.place(selected);
    this.fade((id) => all || near.has(id), (source, target) => all || source === selected || target === selected);
    showChosen(this.details, selected);
  }

  fade(keepsNode, keepsEdge) {
    for (const node of this.svg.querySelectorAll(".node")) node.classList.toggle("faded", !keepsNode(node.dataset.id));
    for (const edge of this.svg.querySelectorAll("[data-source]")) {
      edge.classList.toggle("faded", !keepsEdge(edge.dataset.source, edge.dataset.target));
    }
  }

  place(id) {
    return this.drawn.nodes.find((node) => node.id === id);
  }

  select(id) {
    this.selected = id;
    if (this.tools.elements.steps.value && id) return this.redraw();
    this.mark();
    this.writeAddress();
  }

  toggle(group) {
    if (!this.open.delete(group)) this.open.add(group);
    this.redraw();
    const frame = this.drawn.frames.find((each) => each.id === group);
    if (frame && !this.viewport.readable) this.viewport.begin(frame);
    // The focus stays with the group: on its box, or on the title of its frame.
    this.svg.querySelector(`[data-id="${group}"], [data-group="${group}"]`)?.focus();
  }

  // What is searched: the name of a node, and its row of the table with the condition and the transition.
  found() {
    const text = this.tools.elements.find.value.trim().toLowerCase();
    if (!text) return [];
    return this.data.nodes.filter(({ id, title, transition }) => {
      const condition = document.querySelector(`#node-${id} .condition`)?.textContent ?? "";
      return [title, transition ?? "", condition].some((each) => each.toLowerCase().includes(text));
    });
  }

  find() {
    const found = this.found();
    this.next = 0;
    this.status.textContent = found.length || this.tools.elements.find.value ? `${this.status.dataset.tFound} ${found.length}` : "\u00a0";
    if (!this.tools.elements.find.value.trim()) return this.mark();
    const ids = new Set(found.flatMap(({ id }) => [id, this.data.groupOf.get(id)]));
    this.fade((id) => ids.has(id), () => false);
    const only = found.length === 1 && this.place(found[0].id);
    if (only) this.viewport.centre(only);
  }

  // Selects the found rules one after the other; opens their groups.
  findNext() {
    const found = this.found();
    if (!found.length) return;
    const { id } = found[this.next % found.length];
    this.next += 1;
    this.status.textContent = `${this.status.dataset.tFound} ${((this.next - 1) % found.length) + 1} / ${found.length}`;
    this.selected = id;
    const hidden = !this.place(id);
    if (hidden) this.tools.elements.steps.value = "";
    if (this.openFor(id) || hidden || this.tools.elements.steps.value) this.redraw();
    else this.select(id);
    if (this.place(id)) this.viewport.centre(this.place(id));
  }

  // A file shows the picture without what is selected.
  exported(save) {
    this.fade(() => true, () => true);
    const saved = save(this.svg, this.drawn, this.panel.dataset.name);
    this.mark();
    if (saved === false) this.status.textContent = this.panel.dataset.tLarge;
  }
}

export function start(figures) {
  const content = document.getElementById("picture-data");
  if (!content) return null;
  const picture = new Picture(JSON.parse(content.textContent), figures);
  listen(picture);
  listenToTools(picture);
  return picture;
}

function listen(picture) {
  const { svg, viewport } = picture;
  svg.addEventListener("click", (event) => {
    if (viewport.moved >= 4) { event.preventDefault(); viewport.moved = 0; return; }
    const link = event.target.closest("a");
    const group = link?.dataset.group ?? (link?.classList.contains("kind-group") && link.dataset.id);
    if (group) { event.preventDefault(); picture.toggle(group); return; }
    // The first click selects; a click on the selected node follows its link to the table.
    if (link && link.dataset.id !== picture.selected) { event.preventDefault(); picture.select(link.dataset.id); }
    if (!link) picture.select(null);
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[event.key];
    if (step) { event.preventDefault(); viewport.shift(...step); }
    if (event.key === "+" || event.key === "-") viewport.zoom(event.key === "+" ? 1.25 : 0.8);
    if (event.key === "Escape") picture.select(null);
  });
  // On the panel: Chromium makes an SVG element with such a listener focusable.
  picture.panel.addEventListener("focusin", (event) => {
    const node = event.target.closest(".node:focus-visible");
    if (!node) return;
    viewport.centre(picture.place(node.dataset.id));
    // The browser scrolled to where the node was; the middle of the panel may be outside of the window.
    node.scrollIntoView({ block: "nearest" });
  });
}

function listenToTools(picture) {
  const { tools, viewport } = picture;
  tools.addEventListener("submit", (event) => { event.preventDefault(); picture.findNext(); });
  tools.elements.find.addEventListener("input", () => picture.find());
  tools.elements.steps.addEventListener("change", () => picture.redraw());
  tools.elements.never.addEventListener("change", (event) => { picture.never = event.target.checked; picture.redraw(); });
  const all = (groups) => { picture.open = new Set(groups.map((group) => group.id)); picture.redraw(); };
  const actions = {
    open: () => all(picture.data.groups),
    close: () => all([]),
    in: () => viewport.zoom(1.25),
    out: () => viewport.zoom(0.8),
    fit: () => viewport.fit(picture.drawn.width, picture.drawn.height),
    svg: () => picture.exported(saveSvg),
    png: () => picture.exported(savePng),
  };
  for (const [name, act] of Object.entries(actions)) tools.elements[name]?.addEventListener("click", act);
}
