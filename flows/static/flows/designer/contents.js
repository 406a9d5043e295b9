// What a picture shows: the whole flow or the neighbourhood of a node, with groups that are closed or open.

// Reads what the server sent, and derives the edges that are only declared.
export function read(sent) {
  const edges = sent.edges.map(([source, target, count]) => ({ source, target, count }));
  const happened = new Set(edges.map((edge) => `${edge.source}>${edge.target}`));
  const readers = sent.attributes.map(() => []);
  for (const node of sent.nodes) for (const attribute of node.reads ?? []) readers[attribute].push(node.id);
  for (const { id, writes = [] } of sent.nodes) {
    const declared = new Map();
    for (const attribute of writes) {
      for (const target of readers[attribute]) {
        if (target !== id) declared.set(target, [...(declared.get(target) ?? []), sent.attributes[attribute]]);
      }
    }
    for (const [target, attributes] of declared) {
      if (!happened.has(`${id}>${target}`)) edges.push({ source: id, target, count: 0, attributes });
    }
  }
  const groupOf = new Map(sent.groups.flatMap((group) => group.rules.map((rule) => [rule, group.id])));
  return { nodes: sent.nodes, edges, groups: sent.groups, groupOf };
}

// The nodes at most `steps` edges away from one node, with the edges between them; `never` follows dashed ones, too.
export function around(data, centre, steps, never) {
  const kept = new Set([centre]);
  const followed = data.edges.filter((edge) => edge.count || never);
  for (let step = 0; step < steps; step += 1) {
    const reached = new Set(kept);
    for (const { source, target } of followed) {
      if (reached.has(source)) kept.add(target);
      if (reached.has(target)) kept.add(source);
    }
  }
  return {
    ...data,
    nodes: data.nodes.filter((node) => kept.has(node.id)),
    edges: data.edges.filter((edge) => kept.has(edge.source) && kept.has(edge.target)),
  };
}

// The picture with one box for each group that is not open; the edges of its rules become edges of the box.
export function folded(data, open) {
  const closed = (id) => {
    const group = data.groupOf.get(id);
    return group && !open.has(group) ? group : id;
  };
  const inside = new Map();
  for (const { id } of data.nodes) inside.set(closed(id), (inside.get(closed(id)) ?? 0) + 1);
  const boxes = data.groups.filter((group) => inside.has(group.id))
    .map((group) => ({ id: group.id, kind: "group", title: group.title, rules: inside.get(group.id) }));
  const nodes = [...data.nodes.filter((node) => closed(node.id) === node.id), ...boxes];
  const edges = new Map();
  for (const edge of data.edges) {
    const [source, target] = [closed(edge.source), closed(edge.target)];
    if (source === target && source !== edge.source) continue;
    const known = edges.get(`${source}>${target}`) ?? { source, target, count: 0, attributes: [] };
    known.count += edge.count;
    known.attributes = [...new Set([...known.attributes, ...(edge.attributes ?? [])])];
    edges.set(`${source}>${target}`, known);
  }
  return { nodes, edges: [...edges.values()], frames: frames(data, nodes) };
}

// The open groups that have rules in the picture.
function frames(data, nodes) {
  const shown = new Set(nodes.map((node) => data.groupOf.get(node.id)));
  return data.groups.filter((group) => shown.has(group.id));
}

// Each edge with its share of what followed from its source.
export function withShares(edges) {
  const totals = new Map();
  for (const { source, count } of edges) totals.set(source, (totals.get(source) ?? 0) + count);
  return edges.map((edge) => ({ ...edge, share: edge.count ? edge.count / totals.get(edge.source) : 0 }));
}
