// Fields for files without a connection: what is chosen stays on the device, encrypted, until its result is sent.
import { FileField, size } from "../form_fields.js";
import { room } from "./device_facts.js";
import { t } from "./parts.js";
import * as store from "./store.js";

const SPARE = 1e6;  // the result itself needs some room, too

async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((one) => one.toString(16).padStart(2, "0")).join("");
}

class KeptFile extends FileField {
  constructor(field, form, { person, task, most }) {
    super(field, form);
    Object.assign(this, { person, task });
    this.most = Math.min(...[Number(field.dataset.most), most].filter(Boolean));
  }

  named(file) { return document.createTextNode(file.name); }

  async send() {
    const file = this.input.files[0];
    if (!file) return;
    const problem = await this.problem(file);
    if (problem) { this.input.value = ""; this.say(problem, true); return; }
    this.say(t("file_saving"));
    try {
      const bytes = await file.arrayBuffer(), sha256 = await hashOf(bytes);
      await store.keepFile(this.person, this.task, `${this.attribute}/${sha256}`, bytes);
      const made = { name: file.name, size: file.size, sha256 };
      this.show(JSON.stringify({ ...made, here: true }), made);
    } catch (error) {
      this.say(error?.name === "QuotaExceededError" ? this.noRoom(file) : t("file_unread"), true);
    }
    this.input.value = "";
  }

  get attribute() { return this.field.closest("[data-attribute]").dataset.attribute; }

  async problem(file) {
    if (file.size === 0) return t("file_empty");
    if (file.size > this.most) return t("file_large", { most: size(this.most) });
    const { free } = await room();
    return free !== null && free < file.size + SPARE ? this.noRoom(file) : null;
  }

  noRoom(file) { return t("file_no_room", { size: size(file.size) }); }
}

// Has the fields for files of a form keep what is chosen on the device.
export function keepFiles(form, facts) {
  for (const field of form.querySelectorAll("[data-file]")) {
    const kept = new KeptFile(field, form, facts), known = store.filesIn([[kept.value.name, kept.value.value]])[0];
    if (known) kept.show(kept.value.value, known);
  }
}
