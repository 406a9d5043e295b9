// Moves and enlarges a drawing: by dragging, by Ctrl and the wheel, by two fingers, and by keys.
const LARGEST = 2.5;

export class Viewport {
  constructor(svg) {
    this.svg = svg;
    this.pointers = new Map();
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => this.up(event));
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => (this.whole ? this.fit(...this.whole) : this.apply())).observe(svg);
  }

  // Shows the whole drawing, not larger than its natural size.
  fit(width, height) {
    const { clientWidth, clientHeight } = this.svg;
    this.scale = Math.min(1, clientWidth / width, clientHeight / height);
    this.x = (width - clientWidth / this.scale) / 2;
    this.y = (height - clientHeight / this.scale) / 2;
    // Shown whole again when the panel gets another size, until it is moved.
    this.whole = [width, height];
    this.apply();
  }

  apply() {
    if (!this.scale) return;
    const { clientWidth, clientHeight } = this.svg;
    this.svg.setAttribute("viewBox", `${this.x} ${this.y} ${clientWidth / this.scale} ${clientHeight / this.scale}`);
  }

  zoom(factor, at = { x: this.svg.clientWidth / 2, y: this.svg.clientHeight / 2 }) {
    this.whole = null;
    const scale = Math.min(LARGEST, Math.max(0.05, this.scale * factor));
    this.x += at.x / this.scale - at.x / scale;
    this.y += at.y / this.scale - at.y / scale;
    this.scale = scale;
    this.apply();
  }

  // Moves the drawing so that the node is in the middle, at a size that can be read.
  centre(node) {
    this.whole = null;
    this.scale = Math.max(this.scale, 0.8);
    this.x = node.x - this.svg.clientWidth / this.scale / 2;
    this.y = node.y - this.svg.clientHeight / this.scale / 2;
    this.apply();
  }

  // Moves the drawing so that the left end of a place is at the left, at a size that can be read.
  begin(place) {
    const scale = Math.max(this.scale, 0.8);
    this.centre({ x: place.x - place.width / 2 + this.svg.clientWidth / scale / 2 - 12 / scale, y: place.y });
  }

  // Whether the text of the drawing can be read.
  get readable() {
    return this.scale >= 0.6;
  }

  shift(x, y) {
    this.whole = null;
    this.x += x / this.scale;
    this.y += y / this.scale;
    this.apply();
  }

  down(event) {
    this.pointers.set(event.pointerId, event);
    this.moved = 0;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    this.pointers.set(event.pointerId, event);
    this.moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    if (this.moved < 4) return;
    this.svg.setPointerCapture(event.pointerId);
    this.svg.classList.add("dragged");
    const [other] = [...this.pointers.values()].filter((each) => each.pointerId !== event.pointerId);
    if (other) this.pinch(before, event, other);
    else this.shift(before.clientX - event.clientX, before.clientY - event.clientY);
  }

  pinch(before, now, other) {
    const distance = (event) => Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY) || 1;
    const { left, top } = this.svg.getBoundingClientRect();
    const middle = { x: (now.clientX + other.clientX) / 2 - left, y: (now.clientY + other.clientY) / 2 - top };
    this.zoom(distance(now) / distance(before), middle);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    this.svg.classList.remove("dragged");
  }

  // Without Ctrl the wheel scrolls the page.
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.svg.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - left, y: event.clientY - top });
  }
}
