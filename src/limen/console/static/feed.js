// The feed of events: the newest on top, filtered by query, kind and stream.
import { KINDS, clock, count, el, familyOf, fill, filters } from "./dom.js";
import { request } from "./link.js";

const SHOWN = 150;

export class Feed {
  constructor(element, { filtered, chosen, wanted }) {
    this.filtered = filtered;
    this.chosen = chosen;
    this.paused = false;
    this.waiting = [];
    this.query = field("Query", "feed-query");
    this.stream = field("Stream", "feed-stream");
    this.kind = el(
      "select",
      { id: "feed-kind" },
      el("option", { value: "" }, "all"),
      ...KINDS.map((kind) => el("option", { value: kind }, kind)),
    );
    for (const input of [this.query, this.stream, this.kind]) input.addEventListener("input", () => this.soon());
    for (const [what, input] of [
      ["query", this.query],
      ["stream", this.stream],
    ]) {
      input.title = `Enter opens the ${what} of this name`;
      input.addEventListener(
        "keydown",
        (event) => event.key === "Enter" && input.value.trim() && wanted(what, input.value.trim()),
      );
    }
    this.hold = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() }, "Hold");
    this.list = el("ol", { class: "events", "aria-label": "Events, the newest first" });
    this.older = el("button", { type: "button", class: "wide", onclick: () => this.more() }, "Older events");
    this.empty = el("p", { class: "empty" }, "No events yet.");
    fill(
      element,
      filters(
        "Filter events",
        labelled("Query", this.query),
        labelled("Kind", this.kind),
        labelled("Stream", this.stream),
        this.hold,
      ),
      this.empty,
      this.list,
      this.older,
      suggested(this.stream, "streams"),
    );
  }

  get filter() {
    return { query: this.query.value.trim(), kind: this.kind.value, stream: this.stream.value.trim() };
  }

  /** Show only what fits the filter, once one has stopped to write it. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.renew(), 200);
  }

  async renew() {
    const filter = this.filter;
    this.filtered(filter);
    this.waiting = [];
    const events = await request("events", { ...filter, limit: 100 }).catch(() => []);
    fill(
      this.list,
      events.map((event) => this.item(event)),
    );
    this.first = Math.min(...events.map((event) => event.number));
    this.newest = Math.max(-1, ...events.map((event) => event.number));
    this.say();
  }

  async more() {
    const events = await request("events", { ...this.filter, limit: 100, before: this.first }).catch(() => []);
    for (const event of events) this.list.append(this.item(event));
    if (events.length) this.first = Math.min(...events.map((event) => event.number));
    this.older.disabled = !events.length;
  }

  /** Take new events, the newest first. */
  take(events, skipped = 0) {
    if (this.newest === undefined) return;
    const { query, kind, stream } = this.filter;
    const has = (text, part) => !part || (text ?? "").toLowerCase().includes(part.toLowerCase());
    const fresh = events.filter(
      (event) =>
        event.number > this.newest &&
        has(event.query_id, query) &&
        has(event.stream_id, stream) &&
        (!kind || event.kind === kind),
    );
    if (!fresh.length) return;
    this.newest = fresh[0].number;
    if (this.paused) {
      this.waiting = [...fresh, ...this.waiting].slice(0, SHOWN);
      this.hold.textContent = `Go on (${count(this.waiting.length)})`;
      return;
    }
    const others = skipped > 0 ? [el("li", { class: "others" }, `and ${count(skipped)} more at that time`)] : [];
    this.list.prepend(...fresh.map((event) => this.item(event)), ...others);
    while (this.list.children.length > SHOWN) this.list.lastChild.remove();
    this.say();
  }

  toggle() {
    this.paused = !this.paused;
    this.hold.setAttribute("aria-pressed", String(this.paused));
    this.hold.textContent = this.paused ? "Go on" : "Hold";
    if (!this.paused) this.renew();
  }

  say() {
    const any = this.list.children.length > 0;
    this.empty.hidden = any;
    this.empty.textContent = Object.values(this.filter).some(Boolean)
      ? "No event fits the filter."
      : "No events yet. Each will be a line here; press one to see why it happened.";
    this.older.hidden = !any;
    this.older.disabled = false;
  }

  item(event) {
    return el(
      "li",
      { "data-event": event.event_id },
      eventButton(event, () => this.chosen(event)),
    );
  }
}

/** An event as a line that can be pressed. */
export function eventButton(event, onclick) {
  const streams = event.stream_id ?? (event.bindings ?? []).map((each) => each.stream_id).join(", ");
  return el(
    "button",
    { type: "button", class: "event", onclick, title: "Why did this happen?" },
    el("span", { class: `kind ${familyOf(event.kind)}` }, event.kind),
    el("span", { class: "query" }, event.query_id),
    el("span", { class: "stream" }, streams),
    el("time", {}, clock(event.time)),
  );
}

/** Ids that fit what one writes, offered below the field. */
export function suggested(input, path) {
  const list = el("datalist", { id: `${path}-${(suggested.made = (suggested.made ?? 0) + 1)}` });
  input.setAttribute("list", list.id);
  input.addEventListener("input", async () => {
    const found = input.value.trim() ? await request(path, { text: input.value.trim() }).catch(() => []) : [];
    fill(
      list,
      found.map((id) => el("option", { value: id })),
    );
  });
  return list;
}

export function field(placeholder, id, type = "text") {
  return el("input", {
    type,
    id,
    placeholder: `any ${placeholder.toLowerCase()}`,
    autocomplete: "off",
    spellcheck: false,
    maxLength: 200,
  });
}

export function labelled(text, input, hint) {
  return el("label", { class: "field" }, el("span", {}, text), input, hint ? el("small", {}, hint) : null);
}
