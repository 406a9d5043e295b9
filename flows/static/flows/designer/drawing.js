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

export const corner = (node) => (["rule", "group"].includes(node.kind) ? 8 : node.height / 2);

export const texts = (node) => [...node.texts, ...(node.sub ? [node.sub] : []), ...(node.note ? [node.note] : [])];

// The first line of a box stands here, and the others below it.
export const baseline = (node, line) => node.y - node.height / 2 + 20 + line * 17;

function middle(line) {
  const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
  return { x, y };
}

function edgeOf(edge, names, words) {
  const exception = edge.target === "exception";
  const css = `edge${edge.count ? "" : " never"}${exception ? " to-exception" : ""}`;
  const shape = { d: path(edge.points), "stroke-width": thickness(edge), "marker-end": `url(#tip${exception ? "-exception" : ""})` };
  const line = element("path", { class: css, ...shape });
  const said = edge.count ? edge.label : `${words.never} ${edge.attributes.join(", ")}`;
  const hint = element("title", {}, `${names.get(edge.source)} → ${names.get(edge.target)}: ${said}`);
  const group = element("g", { "data-source": edge.source, "data-target": edge.target }, hint, line);
  if (edge.label) {
    // Half-way along the drawn line, which is smoother than the points of the layout.
    Object.assign(edge, middle(line));
    const paper = { x: edge.x - edge.width / 2, y: edge.y - 7, width: edge.width, height: 14 };
    group.append(element("rect", { class: "count-paper", ...paper }));
    group.append(element("text", { class: "count", x: edge.x, y: edge.y + 4, "text-anchor": "middle" }, edge.label));
  }
  return group;
}

function boxOf(node, css, shift = 0) {
  const [x, y] = [node.x - node.width / 2 + shift, node.y - node.height / 2 + shift];
  return element("rect", { class: css, x, y, width: node.width, height: node.height, rx: corner(node) });
}

function nodeOf(node, words) {
  // A closed group looks like a stack of boxes.
  const boxes = node.kind === "group" ? [boxOf(node, "box", 4), boxOf(node, "box")] : [boxOf(node, "box")];
  const lines = texts(node).map((text, i) => {
    const place = { x: node.x, y: baseline(node, i), "text-anchor": "middle" };
    return element("text", { class: i < node.texts.length ? "" : "sub", ...place }, `${text} `);
  });
  if (node.note) lines.at(-1).setAttribute("class", "note-line");
  const state = node.kind === "group" ? words.open : node.enabled === false ? words.disabled : "";
  // The name begins with what is to be seen, which people say who operate the page by voice.
  const label = [[node.title, node.sub].filter(Boolean).join(" "), state].filter(Boolean).join(", ");
  const css = `node kind-${node.kind}${node.enabled === false ? " disabled" : ""}`;
  const link = { href: node.kind === "group" ? "#picture" : `#node-${node.id}`, "data-id": node.id, "aria-label": label };
  return element("a", { class: css, ...link }, element("title", {}, label), ...boxes, ...lines);
}

function frameOf(frame, words) {
  const [x, y] = [frame.x - frame.width / 2, frame.y - frame.height / 2];
  const box = element("rect", { class: "frame", x, y, width: frame.width, height: frame.height, rx: 12 });
  const title = element("text", { class: "frame-title", x: x + 10, y: y + 15 }, `− ${frame.title}`);
  const label = `${frame.title}, ${words.close}`;
  const close = element("a", { class: "close", href: "#picture", "data-group": frame.id, "aria-label": label }, title);
  return element("g", { class: "framed" }, box, close);
}

function tip(id, css) {
  const shape = element("path", { d: "M0,0 L9,4.5 L0,9 z", class: css });
  const size = { markerWidth: 9, markerHeight: 9, refX: 8, refY: 4.5, orient: "auto", markerUnits: "userSpaceOnUse" };
  return element("marker", { id, ...size }, shape);
}

// Writes what the boxes say of the present into the drawing as it is, with the colour of the wait.
export function annotate(svg, picture, notes) {
  for (const node of picture.nodes) {
    const link = svg.querySelector(`[data-id="${node.id}"]`);
    const line = link?.querySelector(".note-line");
    if (!line) continue;
    node.note = notes.text(node);
    if (line.textContent !== `${node.note} `) line.textContent = `${node.note} `;
    link.dataset.wait = notes.level(node);
    link.dataset.failed = notes.failed(node);
    link.setAttribute("aria-label", [node.title, node.sub, node.note].filter(Boolean).join(" "));
    const { href } = notes.figure(node.id);
    if (href) link.setAttribute("href", href);
  }
}

export function draw(svg, picture, words) {
  const tips = element("defs", {}, tip("tip", "tip"), tip("tip-exception", "tip-exception"));
  const names = new Map(picture.nodes.map((node) => [node.id, node.title]));
  svg.replaceChildren(
    tips,
    ...picture.frames.map((frame) => frameOf(frame, words)),
    ...picture.edges.map((edge) => edgeOf(edge, names, words)),
    ...picture.nodes.map((node) => nodeOf(node, words)),
  );
}
