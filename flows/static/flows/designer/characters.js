// Returns the offset in a text of JavaScript of the character with this number, from 1: PostgreSQL counts a
// character outside of the basic plane once.
export const offset = (text, position) => Array.from(text).slice(0, Math.max(0, position - 1)).join("").length;
