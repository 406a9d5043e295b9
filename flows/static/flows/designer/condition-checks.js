// Asks the server about conditions: one request at a time for the whole page, the newest text of each editor only.
const AGAIN_MS = 400;

export class Checks {
  // `address` answers to POST { types, labels, predicate }; `token` is the CSRF token of the page.
  constructor(address, token) {
    Object.assign(this, { address, token, waiting: new Map(), running: null });
  }

  // Calls `done(answer)` with the answer of the server, or with { error } when there is none. An earlier request
  // of the same editor is cancelled.
  ask(editor, body, done) {
    this.waiting.delete(editor);
    this.waiting.set(editor, { body, done });
    if (this.running?.editor === editor) this.running.controller.abort();
    this.next();
  }

  async next() {
    if (this.running || !this.waiting.size) return;
    const [editor, asked] = [...this.waiting].at(-1);  // the one that is being typed in
    this.waiting.delete(editor);
    const controller = new AbortController();
    this.running = { editor, controller };
    const answer = await this.send(asked.body, controller.signal);
    if (answer?.busy) {
      if (!this.waiting.has(editor)) this.waiting.set(editor, asked);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    } else if (answer && !controller.signal.aborted) asked.done(answer);
    this.running = null;
    this.next();
  }

  async send(body, signal) {
    try {
      const response = await fetch(this.address, {
        method: "POST", body: JSON.stringify(body), signal, redirect: "manual",
        headers: { "Content-Type": "application/json", "Accept": "application/json", "X-CSRFToken": this.token },
      });
      if (response.status === 429) return { busy: true };
      if (response.type === "opaqueredirect") return { error: { code: "signed_out" } };
      return await response.json();
    } catch (error) {
      return error.name === "AbortError" ? null : { error: { code: "unavailable" } };
    }
  }
}
