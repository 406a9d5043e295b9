// Evaluates conditions with the result of PostgreSQL, from the trees that the kernel makes of its own parse
// (flows/capabilities/conditions/sql/09_condition_tree.sql). Numbers are decimals, unknown is null. What cannot be done exactly
// here, for instance an error or a text whose letters depend on the server, is asked of the server: Ask is thrown.
export class Ask extends Error {}

const LARGEST = { integer: 2147483647n, bigint: 9223372036854775807n };
const DIGITS = 500;

// Reads a number as {m, s}, which is m / 10^s.
function decimal(text, type) {
  const found = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?\s*$/.exec(text);
  if (!found || !(found[2] || found[3]) || text.length > DIGITS) throw new Ask();
  const [, sign, whole, part = "", power = "0"] = found;
  if (type !== "numeric" && type !== undefined && !/^\s*[+-]?\d+\s*$/.test(text)) throw new Ask();
  let m = BigInt(sign + (whole + part || "0"));
  let s = part.length - Number(power);
  if (s < 0) { m *= 10n ** BigInt(-s); s = 0; }
  return ranged({ m, s }, type);
}

// Rejects a number that its type cannot have, for which PostgreSQL raises an error.
function ranged(value, type) {
  const most = LARGEST[type];
  if (most !== undefined && (value.m > most || value.m < -most - 1n)) throw new Ask();
  if (value.m.toString().length > 2 * DIGITS || value.s > DIGITS) throw new Ask();
  return value;
}

function aligned(a, b) {
  const s = Math.max(a.s, b.s);
  return [a.m * 10n ** BigInt(s - a.s), b.m * 10n ** BigInt(s - b.s), s];
}

// Returns the value of an attribute from the text that a form has for it; "" is null.
function attribute(name, type, state) {
  if (!Object.hasOwn(state, name)) throw new Ask();
  const text = state[name];
  if (text === null) return null;
  switch (type) {
    case "integer": case "bigint": case "numeric": return decimal(text, type);
    case "boolean":
      if (text !== "true" && text !== "false") throw new Ask();
      return text === "true";
    case "date":
      if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text) || !isDay(text)) throw new Ask();
      return text;
    case "text": case "enum": return text;
    default: return { type };  // its value matters to nothing but IS NULL
  }
}

function isDay(text) {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

// Returns whether a comparison holds between two values that are not null.
function compared(operator, kind, a, b) {
  let order;
  if (kind === "number") {
    const [x, y] = aligned(a, b);
    order = x < y ? -1 : x > y ? 1 : 0;
  } else {
    order = a === b ? 0 : a < b ? -1 : 1;
  }
  switch (operator) {
    case "=": return order === 0;
    case "<>": return order !== 0;
    case "<": return order < 0;
    case ">": return order > 0;
    case "<=": return order <= 0;
    case ">=": return order >= 0;
    default: throw new Ask();
  }
}

function pair(operator, kind, left, right, state) {
  const a = value(left, state), b = value(right, state);
  return a === null || b === null ? null : compared(operator, kind, a, b);
}

const BOTH = { and: false, or: true };

// AND and OR: from left to right, until a part decides.
function joined(word, parts, state) {
  let unknown = false;
  for (const part of parts) {
    const found = value(part, state);
    if (found === BOTH[word]) return found;
    unknown ||= found === null;
  }
  return unknown ? null : !BOTH[word];
}

// IN is equality with one of the values: true if any is equal, unknown if one of the others is null.
function within(kind, left, parts, state) {
  const a = value(left, state);
  let unknown = a === null;
  for (const part of parts) {
    const b = value(part, state);
    if (a === null || b === null) unknown = true;
    else if (compared("=", kind, a, b)) return true;
  }
  return unknown ? null : false;
}

// LIKE: % is any text, _ one character, a backslash takes the next character as it is.
function like(text, pattern) {
  const letters = [...text], signs = [];
  const given = [...pattern];
  for (let i = 0; i < given.length; i += 1) {
    if (given[i] === "\\") {
      i += 1;
      if (i === given.length) throw new Ask();
      signs.push({ letter: given[i] });
    } else signs.push(given[i] === "%" ? { any: true } : given[i] === "_" ? { one: true } : { letter: given[i] });
  }
  let reached = new Set([0]);
  const spread = (places) => {
    const found = new Set();
    for (let place of places) {
      found.add(place);
      while (signs[place]?.any) { place += 1; found.add(place); }
    }
    return found;
  };
  reached = spread(reached);
  for (const letter of letters) {
    const next = new Set();
    for (const place of reached) {
      const sign = signs[place];
      if (!sign) continue;
      if (sign.any) next.add(place);
      else if (sign.one || sign.letter === letter) next.add(place + 1);
    }
    reached = spread(next);
  }
  return reached.has(signs.length);
}

function calculated(operator, type, left, right, state) {
  const a = value(left, state), b = value(right, state);
  if (a === null || b === null) return null;
  if (operator === "||") return a + b;
  if (operator === "*") return ranged({ m: a.m * b.m, s: a.s + b.s }, type);
  const [x, y, s] = aligned(a, b);
  if (operator === "+") return ranged({ m: x + y, s }, type);
  if (operator === "-") return ranged({ m: x - y, s }, type);
  if (y === 0n) throw new Ask();
  if (operator === "%") return { m: x % y, s };
  if (operator === "/" && type !== "numeric") return ranged({ m: x / y, s: 0 }, type);
  throw new Ask();
}

function cased(text, word) {
  if (!/^[\x00-\x7f]*$/.test(text)) throw new Ask();  // other letters depend on the server's locale
  return word === "lower" ? text.toLowerCase() : text.toUpperCase();
}

// Returns the value of a node of a tree: null, true or false, a text, or a number as {m, s}.
function value(node, state) {
  const [word, ...rest] = node;
  switch (word) {
    case "attribute": return attribute(rest[0], rest[1], state);
    case "number": return decimal(rest[0]);
    case "text": case "boolean": return rest[0];
    case "null": return null;
    case "and": case "or": return joined(word, rest, state);
    case "not": { const found = value(rest[0], state); return found === null ? null : !found; }
    case "is null": return value(rest[0], state) === null;
    case "is true": return value(rest[0], state) === true;
    case "is false": return value(rest[0], state) === false;
    case "is unknown": return value(rest[0], state) === null;
    case "distinct": {
      const a = value(rest[1], state), b = value(rest[2], state);
      return a === null || b === null ? a !== b : !compared("=", rest[0], a, b);
    }
    case "in": return within(rest[0], rest[1], rest.slice(2), state);
    case "between": return joined("and", [[">=", rest[0], rest[1], rest[2]], ["<=", rest[0], rest[1], rest[3]]], state);
    case "like": {
      const a = value(rest[1], state), b = value(rest[2], state);
      return a === null || b === null ? null : like(a, b);
    }
    case "+": case "-": case "*": case "/": case "%": case "||":
      return calculated(word, rest[0], rest[1], rest[2], state);
    case "minus": { const a = value(rest[1], state); return a && ranged({ m: -a.m, s: a.s }, rest[0]); }
    case "abs": {
      const a = value(rest[1], state);
      return a && ranged({ m: a.m < 0n ? -a.m : a.m, s: a.s }, rest[0]);
    }
    case "lower": case "upper": { const a = value(rest[1], state); return a === null ? null : cased(a, word); }
    case "length": { const a = value(rest[1], state); return a === null ? null : { m: BigInt([...a].length), s: 0 }; }
    case "coalesce":
      for (const part of rest.slice(1)) {
        const found = value(part, state);
        if (found !== null) return found;
      }
      return null;
    case "=": case "<>": case "<": case ">": case "<=": case ">=":
      return pair(word, rest[0], rest[1], rest[2], state);
    default: throw new Ask();
  }
}

// Returns t, f or u for a condition on a state, which has a text or null by attribute; null where the server has
// to be asked.
export function evaluate(tree, state) {
  try {
    const found = value(tree, state);
    return found === null ? "u" : found ? "t" : "f";
  } catch (error) {
    if (error instanceof Ask || error instanceof RangeError) return null;
    throw error;
  }
}
