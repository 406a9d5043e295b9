// Draws a placed picture as SVG. Colours come from the style sheet, so that both themes need no new drawing.
const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A smooth line through the points.
export function path(points) {
  const [first, ...rest] = points;
  let drawn = `M${first.x},${first.y}`;
  for (let i = 0; i < rest.length - 1; i += 1) {
    const middle = { x: (rest[i].x + rest[i + 1].x) / 2, y: (rest[i].y + rest[i + 1].y) / 2 };
    const end = i === rest.length - 2 ? rest[i + 1] : middle;
    drawn += ` Q${rest[i].x},${rest[i].y} ${end.x},${end.y}`;
  }
  return rest.length === 1 ? `${drawn} L${rest[0].x},${rest[0].y}` : drawn;
}

export const thickness = (edge) => (edge.count ? 1.2 + 3 * edge.share : 1.2);

function middle(line) {
  const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
  return { x, y };
}

function edgeOf(edge) {
  const exception = edge.target === "exception";
  const css = `edge${edge.count ? "" : " never"}${exception ? " to-exception" : ""}`;
  const line = element("path", { class: css, d: path(edge.points), "stroke-width": thickness(edge), "marker-end": `url(#tip${exception ? "-exception" : ""})` });
  const group = element("g", { "data-source": edge.source, "data-target": edge.target }, line);
  if (edge.label) {
    // Half-way along the drawn line, which is smoother than the points of the layout.
    Object.assign(edge, middle(line));
    group.append(element("text", { class: "count", x: edge.x, y: edge.y + 4, "text-anchor": "middle" }, edge.label));
  }
  return group;
}

function nodeOf(node, words) {
  const left = node.x - node.width / 2, top = node.y - node.height / 2;
  const round = node.kind === "rule" ? 8 : node.height / 2;
  const box = element("rect", { class: "box", x: left, y: top, width: node.width, height: node.height, rx: round });
  const texts = [...node.texts, ...(node.sub ? [node.sub] : [])].map((text, i) =>
    element("text", { class: i < node.texts.length ? "" : "sub", x: node.x, y: top + 20 + i * 17, "text-anchor": "middle" }, text));
  const label = `${node.title}${node.enabled ? "" : `, ${words.disabled}`}`;
  const hint = element("title", {}, node.condition ? `${label}: ${node.condition}` : label);
  const css = `node kind-${node.kind}${node.enabled ? "" : " disabled"}`;
  return element("a", { class: css, href: `#node-${node.id}`, "data-id": node.id, "aria-label": label }, hint, box, ...texts);
}

function tip(id, css) {
  const shape = element("path", { d: "M0,0 L9,4.5 L0,9 z", class: css });
  return element("marker", { id, markerWidth: 9, markerHeight: 9, refX: 8, refY: 4.5, orient: "auto", markerUnits: "userSpaceOnUse" }, shape);
}

export function draw(svg, picture, words) {
  const tips = element("defs", {}, tip("tip", "tip"), tip("tip-exception", "tip-exception"));
  svg.replaceChildren(tips, ...picture.edges.map(edgeOf), ...picture.nodes.map((node) => nodeOf(node, words)));
}
