// What a broken line means for a task that is performed with the data of the site: it is suspended, and resumed when
// the line is back; an application of the site that was opened from here has ended, and is started again by the person.
const EVERY = 15000, WHILE_LOST = 2000, TIMEOUT = 5000, FRESH = 5000, TRIES = 3, BETWEEN = 500;

// Returns whether the site answers; an answer of any kind counts.
async function answers(address) {
  try {
    const asked = { method: "HEAD", cache: "no-store", credentials: "omit", redirect: "manual" };
    await fetch(address, { ...asked, signal: AbortSignal.timeout(TIMEOUT) });
    return true;
  } catch {
    return false;
  }
}

class Line {
  constructor(note) {
    this.note = note;
    this.texts = note.dataset;
    this.link = document.querySelector("[data-application]");
    this.opened = false;
    this.lost = false;
    this.seen = performance.now();
    this.passing = null;
    this.asking = false;
  }

  watch() {
    addEventListener("offline", () => this.check());
    addEventListener("online", () => this.check());
    document.addEventListener("visibilitychange", () => this.check());
    addEventListener("submit", (event) => this.guard(event), { capture: true });  // before what else hears of it
    this.link?.addEventListener("click", (event) => {
      if (this.lost) event.preventDefault(); else this.opened = true;
    });
    this.note.dataset.watched = "";
    this.later();
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.check(), this.lost ? WHILE_LOST : EVERY);
  }

  // Asks the site whether it is there; it is lost when it does not answer three times in a row.
  async check() {
    clearTimeout(this.waiting);
    if (document.hidden) { this.later(); return !this.lost; }
    let there = false;
    for (let turn = 0; turn < TRIES && !there; turn += 1) {
      if (turn) await new Promise((go) => { setTimeout(go, BETWEEN); });
      there = await answers(this.texts.lineNote);
    }
    if (there) this.seen = performance.now();
    if (there === this.lost) this.turn(!there);
    this.later();
    return there;
  }

  turn(lost) {
    this.lost = lost;
    this.note.hidden = false;
    this.note.classList.toggle("note-warning", lost);
    this.note.classList.toggle("note-info", !lost);
    const said = lost ? this.texts.tLost : this.texts.tBack;
    const ended = !this.link || !(lost || this.opened) ? "" : lost ? this.texts.tEnded : this.texts.tAgain;
    this.note.textContent = `${said} ${ended}`.trim();
    if (this.link) this.link.ariaDisabled = lost ? "true" : null;
    if (!lost) this.opened = false;
  }

  // Sends nothing into a line that is lost: the browser would replace the page, and what was typed, by its own.
  async guard(event) {
    const { target: form, submitter } = event;
    if (form.method !== "post" || this.passing === form || (!this.lost && performance.now() - this.seen < FRESH)) {
      this.passing = null;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.asking) return;  // pressed twice, it is sent once
    this.asking = true;
    const there = await this.check();
    this.asking = false;
    if (!there) {
      this.note.tabIndex = -1;
      this.note.focus();
      return;
    }
    this.passing = form;
    form.requestSubmit(submitter);
  }
}

// Watches the line of a page; `note` shows how it is, and has the texts and the address that is asked.
export function watchLine(note) {
  new Line(note).watch();
}
