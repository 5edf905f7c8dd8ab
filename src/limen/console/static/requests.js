// Requests to the job and their outcome: sent, in force since a batch, or rejected and why.
import { byId, el, fill } from "./dom.js";

const SHOWN = 4;
const LASTS = 20_000; // milliseconds that a change in force is shown

export class Requests {
  constructor() {
    this.list = byId("requests");
    this.gone = new Set();
    this.since = new Map();
  }

  take(requests) {
    const now = Date.now();
    const shown = requests.filter((each) => {
      if (this.gone.has(each.seq)) return false;
      if (each.state !== "in force") return each.state === "rejected" || now - each.sent * 1000 < 600_000;
      if (!this.since.has(each.seq)) this.since.set(each.seq, now);
      return now - each.sent * 1000 < 120_000 && now - this.since.get(each.seq) < LASTS;
    });
    const text = JSON.stringify(shown.slice(0, SHOWN));
    if (text === this.text) return;
    this.text = text;
    fill(
      this.list,
      shown.slice(0, SHOWN).map((each) => this.item(each)),
    );
  }

  item(each) {
    const states = {
      sent: "sent, waits for the next batch",
      "in force": `in force since batch ${each.batch}`,
      rejected: `rejected: ${each.error}`,
    };
    return el(
      "li",
      { class: each.state.replace(" ", "-") },
      el("span", {}, `${each.what} `, el("b", {}, each.id), ` — ${states[each.state]}`),
      el(
        "button",
        {
          type: "button",
          "aria-label": `Hide: ${each.what} ${each.id}`,
          onclick: (event) => (this.gone.add(each.seq), event.target.closest("li").remove()),
        },
        "×",
      ),
    );
  }
}
