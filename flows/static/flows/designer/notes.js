// What the boxes of a picture say of the present, or of a moment in the past: how many jobs wait, since when, and
// where the condition holds.
import { age, seconds } from "../../pages/ages.js";

// From these seconds on a wait has the next colour; the figure says the same as text.
const STEPS = [0, 60, 3_600, 86_400];
// A box is wide enough for a text of this length, so that it need not be drawn again when numbers grow.
export const RESERVED = 24;

export class Notes {
  constructor(figures, words, groups) {
    this.words = words;
    this.groups = new Map(groups.map((group) => [group.id, group.rules]));
    this.set(figures);
  }

  set(figures) {
    this.figures = new Map(Object.entries(figures));
  }

  // The figure of a node: {n, more, oldest, at, holds}, `at` for a moment in the past; of a group, what its rules have together.
  figure(id) {
    if (!this.groups.has(id)) return this.figures.get(id) ?? {};
    const all = this.groups.get(id).map((rule) => this.figures.get(rule)).filter(Boolean);
    return {
      n: all.reduce((sum, each) => sum + each.n, 0),
      more: all.some((each) => each.more),
      oldest: all.map((each) => each.oldest).filter(Boolean).sort()[0],
      at: all.find((each) => each.at)?.at,
      failed: all.reduce((sum, each) => sum + (each.failed ?? 0), 0),
    };
  }

  text(node) {
    const { n, more, oldest, at, holds, failed } = this.figure(node.id);
    if (n === undefined) return "";
    const number = (value) => value.toLocaleString(document.documentElement.lang);
    const count = `${number(n)}${more ? "+" : ""}`;
    if (!["rule", "group"].includes(node.kind)) return count;
    const lost = failed ? `! ${number(failed)} ${this.words.failed} · ` : "";
    const waiting = `${lost}${count} ${this.words.waiting}${oldest ? ` · ${age(oldest, at)}` : ""}`;
    return holds === undefined ? waiting : `${this.words.holds} ${number(holds)} · ${waiting}`;
  }

  // How many jobs of a node are out of attempts.
  failed(node) {
    return this.figure(node.id).failed ?? 0;
  }

  // 0: nothing waits; 1 to 4: by how long the oldest job waits.
  level(node) {
    const { oldest, at } = this.figure(node.id);
    if (!oldest) return 0;
    const waited = seconds(oldest, at);
    return STEPS.filter((step) => waited >= step).length || 1;
  }
}
