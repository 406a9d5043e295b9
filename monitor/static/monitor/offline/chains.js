// Chains: a task that becomes ready by a result made here, for the same person, is offered before the result is sent.
// Its condition is evaluated as those of forms are. The site replays the results, and decides.
import { evaluate } from "../conditions.js";
import * as store from "./store.js";

const PLACE = 100, OF_ONE = 100, LONGEST = 1000;

// Returns the state after a result: the values of its form, and what its outcome sets.
function stateAfter(chain, { outcome, fields = [] }) {
  const found = { ...chain.state };
  for (const name of Object.keys(found)) {
    const texts = fields.filter(([field]) => field === `value-${name}`).map(([, text]) => text);
    const listed = fields.some(([field]) => field === `list-${name}`);
    const cells = fields.some(([field, text]) => field.startsWith(`cell-${name}-`) && text.trim());
    if (listed) found[name] = texts.length || cells ? "[]" : null;
    else if (texts.length) found[name] = texts.at(-1) === "" ? null : texts.at(-1);
  }
  return { ...found, ...chain.after[outcome ?? ""] };
}

// Offers the tasks that a result has made ready. They have numbers below 0, as no task of the site has.
export async function offerFollowing(person, made, number, result) {
  if (!made.chain || result.reason || number > LONGEST * OF_ONE) return;
  const state = stateAfter(made.chain, result);
  for (const [place, one] of made.chain.tasks.entries()) {
    if (one.transition === made.transition || evaluate(one.tree, state) !== "t") continue;
    await store.keepPackage(person, {
      ...one, task: -(number * OF_ONE + place), after: number, of: made.of ?? made.task, version: "", place: PLACE + place,
      via: made.via, typed: result.fields, chain: { ...made.chain, state }, language: made.language, program: made.program,
    });
  }
}

// Returns the fields of a form that a result before it has filled in, for a task that follows it.
export const typedBefore = (made) => (made.typed ?? []).filter(([name]) => /^(value|cell)-/.test(name) && !name.includes("sha256"));

// Returns which tasks that were offered here are no longer: what made them ready was decided on, and nothing was
// done or typed for them. What became of them on the site is transferred as every other task.
export async function overtaken(person, packages, results) {
  const open = new Set(results.filter((one) => store.UNSENT.includes(one.state) || one.state === "held").map((one) => one.number));
  const done = new Set(results.filter((one) => one.result).map((one) => one.task)), gone = [];
  for (const one of packages.filter((each) => each.task < 0)) {
    if (!open.has(one.after) && !done.has(one.task) && !await store.draftOf(person, one.task)) gone.push(one.task);
  }
  return gone;
}
