// Saves a picture as a file: SVG with the colours of the page, or PNG.
import { element, path, thickness } from "./drawing.js";

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font", "opacity", "paint-order"];

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(svg, picture, name) {
  const copy = svg.cloneNode(true);
  const drawn = svg.querySelectorAll("*");
  for (const [i, each] of [...copy.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(drawn[i]);
    for (const property of KEPT) each.setAttribute(property, style.getPropertyValue(property));
  }
  const paper = getComputedStyle(svg.parentElement).backgroundColor;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  copy.prepend(element("rect", { width: picture.width, height: picture.height, fill: paper }));
  save(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}

// Drawn anew: the pages' policy does not let an SVG be loaded into an image.
export function savePng(svg, picture, name) {
  const scale = Math.min(2, 8000 / picture.width, 8000 / picture.height);
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * scale, height: picture.height * scale });
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = getComputedStyle(svg.parentElement).backgroundColor;
  pen.fillRect(0, 0, picture.width, picture.height);
  const style = (css) => getComputedStyle(svg.querySelector(css));
  for (const edge of picture.edges) paintEdge(pen, edge, style(`[data-source="${edge.source}"][data-target="${edge.target}"] path`));
  for (const node of picture.nodes) paintNode(pen, node, style(`[data-id="${node.id}"] .box`), style("text"));
  canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
}

function paintEdge(pen, edge, style) {
  pen.strokeStyle = pen.fillStyle = style.stroke;
  pen.lineWidth = thickness(edge);
  pen.setLineDash(edge.count ? [] : [5, 5]);
  pen.stroke(new Path2D(path(edge.points)));
  pen.setLineDash([]);
  const [last, before] = [edge.points.at(-1), edge.points.at(-2)];
  pen.save();
  pen.translate(last.x, last.y);
  pen.rotate(Math.atan2(last.y - before.y, last.x - before.x));
  pen.fill(new Path2D("M1,0 L-8,-4.5 L-8,4.5 z"));
  pen.restore();
  pen.textAlign = "center";
  pen.font = "11.5px sans-serif";
  if (edge.label) pen.fillText(edge.label, edge.x, edge.y + 4);
}

function paintNode(pen, node, box, text) {
  pen.fillStyle = box.fill;
  pen.strokeStyle = box.stroke;
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.roundRect(node.x - node.width / 2, node.y - node.height / 2, node.width, node.height, node.kind === "rule" ? 8 : node.height / 2);
  pen.fill();
  pen.stroke();
  pen.fillStyle = text.fill;
  pen.textAlign = "center";
  for (const [i, line] of [...node.texts, ...(node.sub ? [node.sub] : [])].entries()) {
    pen.font = i < node.texts.length ? "13px sans-serif" : "11.5px monospace";
    pen.fillText(line, node.x, node.y - node.height / 2 + 20 + i * 17);
  }
}
