// Patterns of fields with the result of PostgreSQL: an advanced regular expression of which a text must have a part. It
// is read into an automaton, whose time grows with the text only. Ask is thrown for what the server decides: what its
// locale decides, and forms that are not read here.
import { Ask } from "./conditions.js";

const MOST_STATES = 5000, LONGEST = 20000, MOST_TIMES = 255, DEEPEST = 100;
const CONTROLS = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11, B: 92 };
const SHORT = { d: "digit", s: "space", w: "word" };
// The characters of each class that are the same in all locales, as pairs of the first and the last one.
const CLASSES = {
  alnum: "09AZaz", alpha: "AZaz", blank: "\t\t  ", digit: "09", graph: "!~", lower: "az", print: " ~", punct: "!/:@[`{~", space: "\t\r  ",
  upper: "AZ", xdigit: "09AFaf", word: "09AZ__az",
};
const SIGNS = [..."$+<=>^`|~"].map((sign) => sign.codePointAt(0));
const ranges = (pairs) => Array.from({ length: pairs.length / 2 }, (_, n) => [pairs.codePointAt(2 * n), pairs.codePointAt(2 * n + 1)]);
const isAsciiOf = (name, code) => ranges(CLASSES[name]).some(([first, last]) => first <= code && code <= last);

// Returns whether a character is of a class. Beyond ASCII, of control characters, and of whether signs such as $ and +
// are punctuation, the locale of the server decides.
function isOf(name, code) {
  if (code > 126 || (code < 32 && (code < 9 || code > 13)) || (name === "punct" && SIGNS.includes(code))) throw new Ask();
  return isAsciiOf(name, code);
}

// Reads a pattern into a tree: ["any"], ["set", tests, negated], ["start"], ["end"], ["all", ...], ["one", ...], and
// ["times", node, least, most].
class Reader {
  constructor(text) { this.signs = [...text]; this.at = 0; this.depth = 0; }

  get next() { return this.signs[this.at]; }

  take(sign) {
    if (this.next !== sign) return false;
    this.at += 1;
    return true;
  }

  whole() {
    const found = this.branches();
    if (this.at < this.signs.length) throw new Ask();
    return found;
  }

  branches() {
    if (++this.depth > DEEPEST) throw new Ask();
    const found = [this.branch()];
    while (this.take("|")) found.push(this.branch());
    this.depth -= 1;
    return found.length === 1 ? found[0] : ["one", ...found];
  }

  branch() {
    const found = ["all"];
    while (this.at < this.signs.length && this.next !== "|" && !(this.next === ")" && this.depth > 1)) found.push(this.piece());
    return found;
  }

  piece() {
    const atom = this.atom(), times = this.times();
    if (!times) return atom;
    if (atom[0] === "start" || atom[0] === "end") throw new Ask();
    this.take("?");  // as few as possible: a text has such a part, or has not
    if (this.times()) throw new Ask();
    return ["times", atom, ...times];
  }

  times() {
    if (this.take("*")) return [0, Infinity];
    if (this.take("+")) return [1, Infinity];
    if (this.take("?")) return [0, 1];
    if (this.next !== "{" || !/\d/.test(this.signs[this.at + 1] ?? "")) return null;
    const found = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(this.signs.slice(this.at, this.at + 12).join(""));
    if (!found) throw new Ask();
    this.at += found[0].length;
    const least = Number(found[1]), most = found[3] ? Number(found[3]) : found[2] ? Infinity : least;
    if (least > most || Math.max(least, most === Infinity ? 0 : most) > MOST_TIMES) throw new Ask();
    return [least, most];
  }

  atom() {
    const sign = this.signs[this.at++];
    if (sign === ".") return ["any"];
    if (sign === "^") return ["start"];
    if (sign === "$") return ["end"];
    if (sign === "[") return this.bracket();
    if (sign === "(") return this.group();
    if (sign === "\\") return this.escaped();
    if ("*+?)".includes(sign) || (sign === "{" && /\d/.test(this.next ?? ""))) throw new Ask();
    return one(sign);
  }

  group() {
    if (this.take("?") && !this.take(":")) throw new Ask();
    const found = this.branches();
    if (!this.take(")")) throw new Ask();
    return found;
  }

  escaped() {
    const sign = this.next;
    if (sign === "A" || sign === "Z") { this.at += 1; return sign === "A" ? ["start"] : ["end"]; }
    const name = SHORT[sign?.toLowerCase()];
    if (!name) return ["set", [same(this.code())], false];
    this.at += 1;
    return ["set", [(code) => isOf(name, code)], sign !== sign.toLowerCase()];
  }

  // Returns the character that an escape stands for.
  code() {
    const sign = this.signs[this.at++];
    if (sign === undefined) throw new Ask();
    if (!/[A-Za-z0-9]/.test(sign)) return sign.codePointAt(0);
    if (!Object.hasOwn(CONTROLS, sign)) throw new Ask();
    return CONTROLS[sign];
  }

  bracket() {
    const negated = this.take("^"), tests = [];
    for (let first = true; first || this.next !== "]"; first = false) tests.push(this.member(first));
    this.at += 1;
    return ["set", tests, negated];
  }

  member(first) {
    const from = this.end(first);
    if (typeof from !== "number") return from;
    if (this.next !== "-" || this.signs[this.at + 1] === "]") return same(from);
    this.at += 1;
    const to = this.end(false);
    if (typeof to !== "number" || to < from || (this.next === "-" && this.signs[this.at + 1] !== "]")) throw new Ask();
    return (code) => from <= code && code <= to;
  }

  // Returns an end of a range, or a test of a class.
  end(first) {
    const sign = this.signs[this.at++];
    if (sign === undefined || (sign === "-" && !first && this.next !== "]")) throw new Ask();
    if (sign === "[" && ":.=".includes(this.next ?? " ")) return this.ofClass();
    if (sign !== "\\") return sign.codePointAt(0);
    const name = SHORT[this.next];
    if (!name) return this.code();
    this.at += 1;
    return (code) => isOf(name, code);
  }

  ofClass() {
    const found = /^:([a-z]+):\]/.exec(this.signs.slice(this.at, this.at + 12).join(""));
    if (!found || !Object.hasOwn(CLASSES, found[1])) throw new Ask();
    this.at += found[0].length;
    return (code) => isOf(found[1], code);
  }
}

const same = (wanted) => (code) => code === wanted;
const one = (sign) => ["set", [same(sign.codePointAt(0))], false];

// Makes an automaton of a tree: states with what they test, or with where they go without a character.
class Automaton {
  constructor(tree) { this.states = []; this.first = this.add(tree, this.state({ found: true })); }

  state(made) {
    if (this.states.push(made) > MOST_STATES) throw new Ask();
    return this.states.length - 1;
  }

  // Returns the state from which a node leads to a state.
  add(node, to) {
    const [kind, ...parts] = node;
    if (kind === "all") return parts.reduceRight((after, part) => this.add(part, after), to);
    if (kind === "one") return this.state({ to: parts.map((part) => this.add(part, to)) });
    if (kind === "times") return this.repeated(parts, to);
    if (kind === "start" || kind === "end") return this.state({ only: kind, to: [to] });
    return this.state({ test: kind === "any" ? () => true : tested(parts), then: to });
  }

  repeated([node, least, most], to) {
    let at = to;
    if (most === Infinity) {
      const loop = this.state({ to: [to] });
      this.states[loop].to.push(this.add(node, loop));
      at = loop;
    } else for (let turn = least; turn < most; turn += 1) at = this.state({ to: [to, this.add(node, at)] });
    for (let turn = 0; turn < least; turn += 1) at = this.add(node, at);
    return at;
  }

  // Adds the states that are reached from one at a place without a character; returns whether the end is among them.
  reach(from, reached, isFirst, isLast) {
    const open = [from];
    while (open.length) {
      const at = open.pop(), { found, only, to } = this.states[at];
      if (reached.has(at)) continue;
      reached.add(at);
      if (found) return true;
      if (to && (!only || (only === "start" ? isFirst : isLast))) open.push(...to);
    }
    return false;
  }

  finds(codes) {
    let before = new Set();
    for (let place = 0; place <= codes.length; place += 1) {
      const reached = new Set(), isLast = place === codes.length;
      if (this.reach(this.first, reached, place === 0, isLast)) return true;
      for (const at of before) {
        const { test, then } = this.states[at];
        if (test?.(codes[place - 1]) && this.reach(then, reached, place === 0, isLast)) return true;
      }
      before = reached;
    }
    return false;
  }
}

const tested = ([tests, negated]) => (code) => tests.map((test) => test(code)).includes(true) !== negated;

const known = new Map();

// Returns whether a text has a part of this pattern. Throws Ask.
export function hasPart(text, pattern) {
  const codes = [...text].map((sign) => sign.codePointAt(0));
  if (codes.length > LONGEST || /^\*\*\*|\0/.test(pattern) || codes.some((code) => code >= 0xd800 && code <= 0xdfff)) throw new Ask();
  if (!known.has(pattern)) known.set(pattern, new Automaton(new Reader(pattern).whole()));
  return known.get(pattern).finds(codes);
}
