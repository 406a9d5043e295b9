// Sends what waits on the device while no page of the client is open, where the browser has background sync. The key is
// that which the browser keeps while the person is logged in: without it nothing can be read, and nothing is sent. It
// removes no result: a page that is opened sends each again, which counts once, and gets the answer.
{
  const UNSENT = ["waiting", "discarding"], AT_ONCE = 10, TIMEOUT = 20000, BYTES_PER_MS = 10, LOST = "WD611";
  const KEPT = ["packages", "outbox", "drafts", "files"];

  // What only a page can go on with: its person has to log in, or to decide.
  class ForPage extends Error {
    constructor(problem = null) { super(problem?.message ?? ""); this.code = problem?.code; }
  }

  const result = (asked) => new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

  async function token() {
    const found = await self.cookieStore?.getAll() ?? [];
    return found.find(({ name }) => name === "csrftoken" || name === "__Host-csrftoken")?.value ?? "";
  }

  // Asks the site. Throws ForPage for what it refuses; anything else is a line that is lost: the browser tries again.
  async function ask(path, body, longer = 0) {
    const answer = await fetch(new URL(path, self.registration.scope), {
      method: "POST", body, credentials: "same-origin", redirect: "manual", cache: "no-store",
      headers: { Accept: "application/json", "X-CSRFToken": await token() }, signal: AbortSignal.timeout(TIMEOUT + longer),
    });
    if (answer.ok) return answer.json();
    if (answer.status >= 500 || answer.status === 429) throw new TypeError(`the site answers ${answer.status}`);
    throw new ForPage(await answer.json().catch(() => null));
  }

  class Outbox {
    constructor(database, person, device) { Object.assign(this, { database, person, device }); }

    get range() { return IDBKeyRange.bound([this.person.user], [this.person.user, []]); }

    store(name, mode = "readonly") { return this.database.transaction(name, mode).objectStore(name); }

    unsealed({ iv, data }) { return crypto.subtle.decrypt({ name: "AES-GCM", iv }, this.person.key, data); }

    async waiting() {
      return (await result(this.store("outbox").getAll(this.range))).filter((one) => UNSENT.includes(one.state));
    }

    // Returns a result as it is sent, after its files.
    async asSent({ number, state, task, box }) {
      if (state === "discarding") return { number, discarded: true };
      const made = JSON.parse(new TextDecoder().decode(await this.unsealed(box)));
      for (const one of made.files ?? []) await this.sendFile(task, made.result.via, one);
      return { number, ...made.result };
    }

    async sendFile(task, via, { attribute, key, name }) {
      const { user } = this.person, kept = await result(this.store("files").get([user, task, key]));
      if (!kept) throw new ForPage();
      if (kept.sent) return;
      const bytes = await this.unsealed(kept.box), data = new FormData();
      for (const [field, value] of Object.entries({ device: this.device, user, via })) if (value) data.set(field, value);
      data.set("file", new File([bytes], name));
      await ask(`files/${task}/${attribute}/`, data, bytes.byteLength / BYTES_PER_MS);
      const files = this.store("files", "readwrite"), now = await result(files.get([user, task, key]));
      if (now) await result(files.put({ ...now, sent: true }));
    }

    async send() {
      const waiting = await this.waiting(), { device, person: { user } } = this;
      for (let from = 0; from < waiting.length; from += AT_ONCE) {
        const results = [], sent_at = new Date().toISOString();
        for (const one of waiting.slice(from, from + AT_ONCE)) results.push(await this.asSent(one));
        const { results: answers } = await ask("results/", JSON.stringify({ device, user, sent_at, results }));
        if (answers.length < results.length || answers.at(-1).state === "rejected") return;
      }
    }

    // The device was reported lost: what it has is removed, and the key; the next page forgets the person, too.
    forget() {
      const work = this.database.transaction(["people", ...KEPT], "readwrite", { durability: "strict" });
      for (const name of KEPT) work.objectStore(name).delete(this.range);
      work.objectStore("people").put({ ...this.person, key: null, files: null });
      return new Promise((resolve, reject) => { work.oncomplete = resolve; work.onabort = () => reject(work.error); });
    }
  }

  // Returns what waits of the person who is logged in; null where no person is, or the client has no database.
  async function outboxOf(database) {
    const [people, device] = await Promise.all([
      result(database.transaction("people").objectStore("people").getAll()),
      result(database.transaction("device").objectStore("device").get("device"))]);
    const person = people.find((one) => one.key);
    return person && device ? new Outbox(database, person, device.key) : null;
  }

  async function send() {
    const asked = indexedDB.open("wedsql-offline");
    asked.onupgradeneeded = () => asked.transaction.abort();
    const database = await result(asked);
    database.onversionchange = () => database.close();
    const found = await outboxOf(database);
    try {
      await found?.send();
    } catch (error) {
      if (!(error instanceof ForPage)) throw error;
      if (error.code === LOST) await found.forget();
    } finally {
      database.close();
    }
  }

  self.sendInBackground = () => navigator.locks.request("wedsql-sync", send);
}
