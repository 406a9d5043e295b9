// Saves a picture as a file: SVG with the colours of the page, or PNG.
import { baseline, corner, element, path, texts, thickness } from "./drawing.js";

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font", "opacity", "paint-order"];
// A canvas with more has no content in some browsers.
const LONGEST = 16_000, MOST_PIXELS = 120_000_000;

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
    // The links lead to places of the page.
    each.removeAttribute("href");
  }
  const paper = getComputedStyle(svg.parentElement).backgroundColor;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  copy.setAttribute("width", picture.width);
  copy.setAttribute("height", picture.height);
  copy.prepend(element("rect", { width: picture.width, height: picture.height, fill: paper }));
  save(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}

// Drawn again: the pages' policy does not let an SVG be loaded into an image. Returns whether its text can be read.
export function savePng(svg, picture, name) {
  const { width, height } = picture;
  const scale = Math.min(2, LONGEST / width, LONGEST / height, Math.sqrt(MOST_PIXELS / width / height));
  if (scale < 0.6) return false;
  const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const paper = getComputedStyle(svg.parentElement).backgroundColor;
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, height);
  const style = (css) => getComputedStyle(svg.querySelector(css));
  for (const frame of picture.frames) paintFrame(pen, frame, style(".frame"), style(".frame-title"));
  for (const edge of picture.edges) {
    paintEdge(pen, edge, style(`[data-source="${edge.source}"][data-target="${edge.target}"] path`), paper);
  }
  for (const node of picture.nodes) paintNode(pen, node, style(`[data-id="${node.id}"] .box`), style(".node text"));
  canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  return true;
}

function paintBox(pen, place, radius, style, shift = 0) {
  pen.fillStyle = style.fill;
  pen.strokeStyle = style.stroke;
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.roundRect(place.x - place.width / 2 + shift, place.y - place.height / 2 + shift, place.width, place.height, radius);
  pen.fill();
  pen.stroke();
}

function paintFrame(pen, frame, box, title) {
  paintBox(pen, frame, 12, box);
  pen.fillStyle = title.fill;
  pen.textAlign = "left";
  pen.font = "600 13px sans-serif";
  pen.fillText(frame.title, frame.x - frame.width / 2 + 10, frame.y - frame.height / 2 + 15);
}

function paintEdge(pen, edge, style, paper) {
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
  if (edge.label) paintCount(pen, edge, paper);
}

function paintCount(pen, edge, paper) {
  const ink = pen.fillStyle;
  pen.fillStyle = paper;
  pen.fillRect(edge.x - edge.width / 2, edge.y - 7, edge.width, 14);
  pen.fillStyle = ink;
  pen.textAlign = "center";
  pen.font = "11.5px sans-serif";
  pen.fillText(edge.label, edge.x, edge.y + 4);
}

function paintNode(pen, node, box, text) {
  if (node.kind === "group") paintBox(pen, node, corner(node), box, 4);
  paintBox(pen, node, corner(node), box);
  pen.fillStyle = text.fill;
  pen.textAlign = "center";
  for (const [i, line] of texts(node).entries()) {
    pen.font = i < node.texts.length ? "13px sans-serif" : line === node.note ? "11.5px sans-serif" : "11.5px monospace";
    pen.fillText(line, node.x, baseline(node, i));
  }
}
