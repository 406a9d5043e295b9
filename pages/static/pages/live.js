// The live connection of a page: keeps it open, shows how fresh the page is, and refreshes once after every gap.
// Frames carry ids only; refresh(ids | null) fetches what the page shows. One refresh runs at a time, and the
// pause after it grows with its duration, so that a slow server gets fewer requests.
import { Mark } from "./mark.js";

const RETRY_MS = [250, 500, 1000, 2000];
const DEAD_MS = 45_000;
const POLL_MS = 10_000;
const POLL_AFTER = 4;
const HIDDEN_MS = 5_000;
const MAX_PAUSE_MS = 10_000;

export class LivePage {
  constructor(refresh, { pause = 500 } = {}) {
    this.mark = new Mark();
    this.refresh = refresh;
    this.pause = pause;
    this.failures = 0;
    this.wanted = undefined;
    this.ended = false;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.visibility());
    window.addEventListener("pagehide", () => this.close());
    window.addEventListener("pageshow", (event) => { if (event.persisted) this.open(); });
    window.addEventListener("offline", () => this.drop());  // the open connection itself stays silent
    window.addEventListener("online", () => { clearTimeout(this.retry); this.open(); });
    setInterval(() => this.watchdog(), 5_000);
    this.mark.say("connecting");
    if (!document.hidden) this.open();
  }

  open() {
    if (this.ended || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.mark.element.dataset.socket}`);
    this.socket = socket;
    this.heard = Date.now();
    socket.onmessage = (event) => { if (socket === this.socket) this.frame(JSON.parse(event.data)); };
    socket.onclose = (event) => { if (socket === this.socket) this.closed(event.code); };
  }

  close() {
    const socket = this.socket;
    this.socket = null;
    clearTimeout(this.retry);
    socket?.close();
  }

  frame(message) {
    this.heard = Date.now();
    if (message.n) this.socket.send(JSON.stringify({ op: "ack", n: message.n }));
    if (message.op === "stale") return this.stale();
    this.failures = 0;
    if (message.op === "changed") this.want(new Map(message.ids));
    else if (message.op !== "ping" || this.mark.state === "stale") this.want(null);
    return undefined;
  }

  closed(code) {
    this.socket = null;
    if (code === 4401 || code === 4404) {
      this.ended = true;
      this.mark.say(code === 4401 ? "out" : "gone");
      return;
    }
    this.failures += 1;
    this.stale();
    const base = RETRY_MS[Math.min(this.failures, RETRY_MS.length) - 1];
    if (!document.hidden) this.retry = setTimeout(() => this.open(), base * (0.75 + Math.random() / 2));
    // Without WebSockets the page polls.
    if (this.failures >= POLL_AFTER && Date.now() - (this.polled ?? 0) > POLL_MS) {
      this.polled = Date.now();
      this.want(null);
    }
  }

  watchdog() {
    if (Date.now() - this.heard > DEAD_MS) this.drop();
  }

  // Takes the connection for lost, and tries a new one.
  drop() {
    const dead = this.socket;
    if (!dead) return;
    this.closed(1006);
    dead.close();
  }

  visibility() {
    clearTimeout(this.hide);
    if (document.hidden) this.hide = setTimeout(() => { this.paused = true; this.close(); }, HIDDEN_MS);
    else if (this.paused || !this.socket) { this.paused = false; this.open(); }
  }

  // ids: what changed; null: everything. Requests during a refresh are combined into one after it.
  want(ids) {
    if (ids === null || this.wanted === null) this.wanted = null;
    else this.wanted = new Map([...(this.wanted ?? []), ...ids]);
    if (!this.running) this.run();
  }

  async run() {
    this.running = true;
    while (this.wanted !== undefined) {
      const ids = this.wanted;
      this.wanted = undefined;
      const begun = performance.now();
      const good = await this.attempt(ids);
      if (!good) break;
      const cost = performance.now() - begun;
      await new Promise((done) => setTimeout(done, Math.min(MAX_PAUSE_MS, Math.max(this.pause, cost * 4))));
    }
    this.running = false;
  }

  async attempt(ids) {
    try {
      await this.refresh(ids);
    } catch (error) {
      if (error.status === 401) { this.ended = true; this.close(); this.mark.say("out"); return false; }
      if (error.status === 404) { this.ended = true; this.close(); this.mark.say("gone"); return false; }
      this.stale();
      this.again = setTimeout(() => this.want(null), 2_000);
      return false;
    }
    if (this.socket?.readyState === WebSocket.OPEN) this.mark.say("live");
    else if (this.failures >= POLL_AFTER) this.mark.say("polling");
    return true;
  }

  stale() {
    if (!this.ended) this.mark.stale();
  }
}

export async function fetchJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin", cache: "no-store" });
  if (!response.ok) throw Object.assign(new Error(`${response.status}`), { status: response.status });
  return response.json();
}
