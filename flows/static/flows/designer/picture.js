// The page with the picture of a flow: select, find, show a neighbourhood, export.
import { draw } from "./drawing.js";
import { savePng, saveSvg } from "./exports.js";
import { around, placed } from "./layout.js";
import { Viewport } from "./viewport.js";

// A larger flow begins with the neighbourhood of its start.
const READABLE = 60;

export function start() {
  const content = document.getElementById("picture-data");
  if (!content) return;
  const data = JSON.parse(content.textContent);
  const tools = document.querySelector(".picture-tools");
  const panel = document.getElementById("picture");
  const svg = panel.querySelector("svg");
  const status = document.getElementById("picture-status");
  tools.hidden = panel.hidden = false;
  const viewport = new Viewport(svg);
  let selected = null, picture = null;

  const part = () => {
    const distance = Number(tools.elements.distance.value);
    return distance ? around(data, selected ?? "start", distance) : data;
  };
  function redraw() {
    picture = placed(part());
    draw(svg, picture, { disabled: panel.dataset.tDisabled });
    // As high as the drawing needs at the panel's width; the style sheet has the limits.
    panel.style.height = `${picture.height * Math.min(1, panel.clientWidth / picture.width) + 16}px`;
    viewport.fit(picture.width, picture.height);
    mark();
  }
  function mark() {
    for (const node of svg.querySelectorAll(".node")) node.classList.toggle("selected", node.dataset.id === selected);
    const near = new Set([selected]);
    for (const { source, target } of picture.edges) {
      if (source === selected) near.add(target);
      if (target === selected) near.add(source);
    }
    fade((id) => !selected || near.has(id), (source, target) => !selected || source === selected || target === selected);
  }
  function fade(keepsNode, keepsEdge) {
    for (const node of svg.querySelectorAll(".node")) node.classList.toggle("faded", !keepsNode(node.dataset.id));
    for (const edge of svg.querySelectorAll("g")) edge.classList.toggle("faded", !keepsEdge(edge.dataset.source, edge.dataset.target));
  }
  function select(id) {
    selected = id;
    if (tools.elements.distance.value && id) redraw();
    else mark();
  }
  function find() {
    const text = tools.elements.find.value.trim().toLowerCase();
    if (!text) { status.textContent = ""; mark(); return; }
    const fits = (node) => [node.title, node.transition, node.condition].some((each) => each.toLowerCase().includes(text));
    const found = picture.nodes.filter(fits);
    const ids = new Set(found.map((node) => node.id));
    fade((id) => ids.has(id), () => false);
    status.textContent = `${status.dataset.tFound} ${found.length}`;
    if (found.length === 1) viewport.centre(found[0]);
  }

  svg.addEventListener("click", (event) => {
    if (viewport.moved >= 4) { event.preventDefault(); viewport.moved = 0; return; }
    const node = event.target.closest(".node");
    // The first click selects; a click on the selected node follows its link to the table.
    if (node && node.dataset.id !== selected) { event.preventDefault(); select(node.dataset.id); }
    if (!node) select(null);
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[event.key];
    if (step) { event.preventDefault(); viewport.shift(...step); }
    if (event.key === "+" || event.key === "-") viewport.zoom(event.key === "+" ? 1.25 : 0.8);
    if (event.key === "Escape") select(null);
  });
  // On the panel: Chromium makes an SVG element with such a listener focusable.
  panel.addEventListener("focusin", (event) => {
    const node = event.target.closest(".node:focus-visible");
    if (node) viewport.centre(picture.nodes.find((each) => each.id === node.dataset.id));
  });
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.elements.find.addEventListener("input", find);
  tools.elements.distance.addEventListener("change", redraw);
  const actions = {
    in: () => viewport.zoom(1.25),
    out: () => viewport.zoom(0.8),
    fit: () => viewport.fit(picture.width, picture.height),
    svg: () => saveSvg(svg, picture, panel.dataset.name),
    png: () => savePng(svg, picture, panel.dataset.name),
  };
  for (const [name, act] of Object.entries(actions)) tools.elements[name].addEventListener("click", act);
  if (data.nodes.length > READABLE) tools.elements.distance.value = "2";
  redraw();
}
