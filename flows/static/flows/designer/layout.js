// Places the nodes and edges of a picture; lengths in the units of the drawing.
import { RESERVED } from "./notes.js";
import { below, loose, settle } from "./rows.js";
import { Graph, layout } from "../../vendor/dagre-3.1.3/dagre.esm.js";

const LINE = 17, PAD = 12, LONGEST = 26;
const CHARACTER = 7.3;

// The title in at most two lines.
function lines(title) {
  if (title.length <= LONGEST) return [title];
  const cut = title.lastIndexOf(" ", LONGEST) > 8 ? title.lastIndexOf(" ", LONGEST) : LONGEST;
  const rest = title.slice(cut).trim();
  return [title.slice(0, cut), rest.length > LONGEST ? `${rest.slice(0, LONGEST - 1)}…` : rest];
}

const shortened = (text) => (text.length > LONGEST + 6 ? `${text.slice(0, LONGEST + 5)}…` : text);

function box(node, words, notes) {
  const texts = lines(node.title);
  const sub = node.kind === "group" ? `${node.rules} ${words.rules}` : shortened(node.kind === "rule" ? node.transition : "");
  const note = notes?.text(node) ?? "";
  const reserved = note && sub ? RESERVED : 0;
  const longest = Math.max(...texts.map((text) => text.length), sub.length, note.length, reserved);
  const height = (texts.length + (sub ? 1 : 0) + (note ? 1 : 0)) * LINE + 1.4 * PAD;
  return { ...node, texts, sub, note, width: longest * CHARACTER + 2 * PAD, height };
}

function labelled(edge) {
  const label = edge.count ? `${edge.count.toLocaleString(document.documentElement.lang)} · ${Math.round(100 * edge.share)} %` : "";
  // What happened often is drawn short and straight.
  const weight = edge.count ? 1 + Math.round(4 * edge.share) : 0;
  return { ...edge, label, width: label.length * 6.2 + 6, height: 14, weight };
}

// A loop beside its node, where the layout left space for it: below in a picture from left to right.
function loop({ x, y, width, height }, rankdir) {
  const side = (along, away) => (rankdir === "LR"
    ? { x: x - along * width, y: y + height / 2 + away }
    : { x: x + width / 2 + away, y: y + along * height });
  return [side(-0.25, 0), side(-0.25, 30), side(0.25, 30), side(0.25, 0)];
}

// The size of the drawing with everything inside: the layout measures nodes and labels, and not the bends of edges.
function enclose(nodes, edges, { width, height }) {
  const box = { left: 0, top: 0, right: width, bottom: height };
  const bends = edges.flatMap((edge) => edge.points);
  for (const { x, y } of bends) {
    box.left = Math.min(box.left, x - PAD);
    box.top = Math.min(box.top, y - PAD);
    box.right = Math.max(box.right, x + PAD);
    box.bottom = Math.max(box.bottom, y + PAD);
  }
  for (const place of new Set([...nodes, ...edges, ...bends])) {
    place.x -= box.left;
    place.y -= box.top;
  }
  return { width: box.right - box.left, height: box.bottom - box.top };
}

// The part of the picture with edges, placed by dagre; `blocks` are boxes in rows, each inside an open group.
function connected(nodes, blocks, edges, frames, groupOf) {
  const graph = new Graph({ compound: frames.length > 0 });
  const rankdir = innerWidth < 700 ? "TB" : "LR";
  graph.setGraph({ rankdir, nodesep: 22, ranksep: 60, edgesep: 12, marginx: 16, marginy: 16 });
  for (const node of nodes) graph.setNode(node.id, node);
  for (const frame of frames) graph.setNode(`frame-${frame.id}`, { frame });
  for (const block of blocks) graph.setNode(`rows-${block.group}`, block);
  const framed = new Set(frames.map((frame) => frame.id));
  for (const { id } of nodes) if (framed.has(groupOf.get(id))) graph.setParent(id, `frame-${groupOf.get(id)}`);
  for (const { group } of blocks) graph.setParent(`rows-${group}`, `frame-${group}`);
  for (const edge of edges) graph.setEdge(edge.source, edge.target, labelled(edge));
  layout(graph);
  for (const { v, w } of graph.edges()) if (v === w) graph.edge(v, w).points = loop(graph.node(v), rankdir);
  return {
    size: graph.graph(),
    edges: graph.edges().map((ends) => graph.edge(ends)),
    frames: frames.map(({ id }) => graph.node(`frame-${id}`)),
  };
}

export function placed({ nodes, edges, frames, groupOf }, words, notes) {
  const all = nodes.map((node) => box(node, words, notes));
  const { boxes, blocks } = loose(all, edges, frames, groupOf);
  const apart = new Set([...boxes, ...blocks].flatMap((each) => each.inside ?? each));
  const closed = new Set(boxes.map(({ frame }) => frame));
  const rest = all.filter((node) => !apart.has(node)), around = frames.filter((frame) => !closed.has(frame));
  const drawn = rest.length ? connected(rest, blocks, edges, around, groupOf)
    : { size: { width: 0, height: 0 }, edges: [], frames: [] };
  const size = below(boxes, drawn.size);
  settle([...boxes, ...blocks]);
  const framed = [...drawn.frames, ...boxes.filter(({ frame }) => frame)];
  return {
    ...enclose([...all, ...framed], drawn.edges, size),
    nodes: all,
    frames: framed.map(({ frame, ...place }) => ({ ...place, id: frame.id, title: frame.title })),
    edges: drawn.edges,
  };
}
