// Places the nodes and edges of a picture; lengths in the units of the drawing.
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

function box(node) {
  const texts = lines(node.title);
  const sub = node.kind === "rule" ? node.transition : "";
  const longest = Math.max(...texts.map((text) => text.length), sub.length);
  return { ...node, texts, sub, width: longest * CHARACTER + 2 * PAD, height: (texts.length + (sub ? 1 : 0)) * LINE + 1.4 * PAD };
}

export function placed({ nodes, edges }) {
  const graph = new Graph();
  graph.setGraph({ rankdir: innerWidth < 700 ? "TB" : "LR", nodesep: 22, ranksep: 70, edgesep: 12, marginx: 16, marginy: 16 });
  for (const node of nodes) graph.setNode(node.id, box(node));
  // What happened often is drawn short and straight.
  for (const edge of edges) {
    const label = edge.count ? String(edge.count) : "";
    graph.setEdge(edge.source, edge.target, { ...edge, label, width: label.length * 7 + 6, height: 14, weight: edge.count ? 1 + Math.round(4 * edge.share) : 0 });
  }
  layout(graph);
  const { width, height } = graph.graph();
  return { width, height, nodes: graph.nodes().map((id) => graph.node(id)), edges: graph.edges().map((ends) => graph.edge(ends)) };
}

// The nodes at most `distance` edges away from one node, with the edges between them.
export function around(data, centre, distance) {
  const kept = new Set([centre]);
  for (let step = 0; step < distance; step += 1) {
    const reached = new Set(kept);
    for (const { source, target } of data.edges) {
      if (reached.has(source)) kept.add(target);
      if (reached.has(target)) kept.add(source);
    }
  }
  return {
    nodes: data.nodes.filter((node) => kept.has(node.id)),
    edges: data.edges.filter((edge) => kept.has(edge.source) && kept.has(edge.target)),
  };
}
