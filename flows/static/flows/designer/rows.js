// Places boxes that no edge connects in rows; dagre has one column for all of them.
const GAP = 22, MARGIN = 16;
// Of an open group: the space around its boxes, and that of its title.
const PAD = 14, TITLE = 26, CHARACTER = 8;
// The width of all rows for a height of one, on phones and on wider screens.
const NARROW = 0.7, WIDE = 2.2;

// The boxes without an edge: those in no open group, open groups that have only such boxes, and the rows of
// the other groups, which dagre places as one box each.
export function loose(nodes, edges, frames, groupOf) {
  const joined = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const framed = new Set(frames.map(({ id }) => id));
  const boxes = nodes.filter(({ id }) => !joined.has(id) && !framed.has(groupOf.get(id))), blocks = [];
  for (const frame of frames) {
    const members = nodes.filter(({ id }) => groupOf.get(id) === frame.id);
    const inside = members.filter(({ id }) => !joined.has(id));
    if (inside.length === members.length) boxes.push(whole(frame, inside));
    else if (inside.length) blocks.push({ group: frame.id, inside, ...inRows(inside) });
  }
  return { boxes, blocks };
}

function whole(frame, inside) {
  const { width, height } = inRows(inside);
  move(inside, PAD, TITLE);
  const title = (frame.title.length + 2) * CHARACTER;
  return { frame, inside, width: Math.max(width, title) + 2 * PAD, height: height + PAD + TITLE };
}

// Sets the centres of the boxes, from the corner 0, 0; returns the size of what they take.
function inRows(boxes, least = 0) {
  const area = boxes.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const limit = Math.max(least, Math.sqrt(area * (innerWidth < 700 ? NARROW : WIDE)));
  let x = 0, y = 0, width = 0, height = 0;
  for (const box of boxes) {
    if (x && x + box.width > limit) [x, y, height] = [0, y + height + GAP, 0];
    Object.assign(box, { x: x + box.width / 2, y: y + box.height / 2 });
    x += box.width + GAP;
    width = Math.max(width, x - GAP);
    height = Math.max(height, box.height);
  }
  return { width, height: y + height };
}

// Places the boxes in rows below a drawing; returns the size of both.
export function below(boxes, drawn) {
  if (!boxes.length) return drawn;
  const rows = inRows(boxes, drawn.width - 2 * MARGIN);
  move(boxes, MARGIN, drawn.height || MARGIN);
  return {
    width: Math.max(drawn.width, rows.width + 2 * MARGIN),
    height: (drawn.height || MARGIN) + rows.height + MARGIN,
  };
}

// Moves what is inside to where the boxes were placed.
export function settle(boxes) {
  for (const { x, y, width, height, inside = [] } of boxes) move(inside, x - width / 2, y - height / 2);
}

function move(places, right, down) {
  for (const place of places) {
    place.x += right;
    place.y += down;
  }
}
