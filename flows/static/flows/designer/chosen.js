// The details of the selected node beside the picture: the cells of its row in the table, with their links.
export function showChosen(panel, id) {
  const row = id && document.getElementById(`node-${id}`);
  panel.hidden = !row;
  panel.parentElement.classList.toggle("with-chosen", Boolean(row));
  if (!row) return panel.replaceChildren();
  const [name, ...cells] = row.cells;
  const title = Object.assign(document.createElement("h2"), { className: "tighter" });
  title.append(...copies(name));
  const list = document.createElement("dl");
  for (const cell of cells) {
    if (!cell.textContent.trim()) continue;
    const content = document.createElement("dd");
    content.append(...copies(cell));
    list.append(Object.assign(document.createElement("dt"), { textContent: cell.dataset.label }), content);
  }
  panel.replaceChildren(title, list);
}

const copies = (cell) => [...cell.childNodes].map((each) => each.cloneNode(true));
