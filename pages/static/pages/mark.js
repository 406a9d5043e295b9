// The mark in the head of a page: whether what it shows is what the database holds, and if not, since when.
export class Mark {
  constructor() {
    this.element = document.getElementById("live");
    this.state = "";
  }

  stale() {
    if (this.state === "stale" || this.state === "polling") return;
    this.since = new Date();
    this.say("stale");
  }

  say(state) {
    if (state === this.state) return;
    this.state = state;
    const words = this.element.dataset;
    words.state = state;
    const text = { connecting: words.tConnecting, live: words.tLive, polling: words.tPolling, out: words.tOut, gone: words.tGone };
    // The page's times are UTC, and so is this one.
    const clock = this.since?.toISOString().slice(11, 19);
    this.element.querySelector(".live-text").textContent = state === "stale" ? `${words.tStale} ${clock}` : text[state];
  }
}
