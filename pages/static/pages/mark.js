// The live status in the header: whether the page is up to date, and if not, since when.
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
    // In UTC like the other times of the page.
    const clock = this.since?.toISOString().slice(11, 19);
    this.element.querySelector(".live-text").textContent = state === "stale" ? `${words.tStale} ${clock}` : text[state];
  }
}
