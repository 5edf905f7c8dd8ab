// What is selected: a stream, a query, or an event and why it happened.
import { clock, count, el, fill } from "./dom.js";
import { eventButton, labelled, suggested } from "./feed.js";
import { post, request } from "./link.js";
import { bindingsTable, facts, members, rowsTable } from "./facts.js";

export class Detail {
  constructor(element, { control, open, sent, shown, edit, write }) {
    Object.assign(this, { element, control, open, sent, shown, edit, write });
    this.what = null;
  }

  clear() {
    this.what = null;
    fill(this.element);
    this.shown(null);
  }

  async stream(which, { quietly = false, maybe = false } = {}) {
    const found = await this.get("stream", which, quietly || maybe);
    if (found === null && quietly) this.gone();
    if (!found) return;
    this.what = { kind: "stream", which: { id: found.id } };
    this.shown({ stream: found });
    const kept = quietly ? this.kept() : null;
    fill(
      this.element,
      this.head("Stream", found.id),
      facts({
        ...found.values,
        ...found.attributes,
        "last seen": clock(found.time, { day: true }),
      }),
      el("h3", {}, found.inside_total === 1 ? "In 1 query" : `In ${count(found.inside_total)} queries`),
      members(found.inside, (each) => this.query(each.id), found.now, "Query"),
      this.lasting(quietly, () => [this.nearest(found), this.whyNot({ stream: found.id })]),
    );
    this.restore(kept);
    if (!quietly) this.open();
  }

  async query(id, { quietly = false, here = false, maybe = false } = {}) {
    const found = await this.get("query", { id }, quietly || maybe);
    if (!found) return;
    this.what = { kind: "query", which: id };
    this.shown({ query: found, quietly: quietly || here });
    const kept = quietly ? this.kept() : null;
    const silent = found.family === "match" || found.family === "pattern";
    const since = found.since_batch === null || found.since_batch < 0 ? "the start" : `batch ${found.since_batch}`;
    fill(
      this.element,
      this.head(found.family, found.id, found.family),
      facts({
        [found.state]: `since ${since}`,
        events: count(found.events),
        "last event": clock(found.last, { day: true }),
      }),
      this.actions(found, quietly),
      silent ? null : el("h3", {}, `Inside now: ${count(found.members_total)}`),
      silent ? null : members(found.members, (each) => this.stream({ id: each.id }), found.now),
      el("h3", {}, "Latest events"),
      found.latest.length
        ? el(
            "ol",
            { class: "events" },
            found.latest.map((event) =>
              el(
                "li",
                {},
                eventButton(event, () => this.event(event)),
              ),
            ),
          )
        : el("p", { class: "quiet" }, "None yet."),
      this.lasting(quietly, () => [this.whyNot({ query: found.id })]),
      el("h3", {}, "Definition"),
      el("pre", { tabIndex: 0 }, found.sql ?? JSON.stringify(found.query, null, 1)),
    );
    this.restore(kept);
    if (!quietly) this.open();
  }

  async event(event) {
    const found = await this.get("why", { event: event.event_id });
    if (!found) return;
    this.what = { kind: "event" };
    this.shown({ event: found });
    const reported = found.event;
    fill(
      this.element,
      this.head("Why", `${reported.kind}: ${reported.query_id}`, null),
      el("p", { class: "because" }, found.text),
      found.rows.length ? rowsTable(found.rows, reported) : null,
      found.bindings ? bindingsTable(found.bindings, (each) => this.stream({ id: each.stream_id })) : null,
      facts({
        time: clock(reported.time, { day: true }),
        began: reported.started_at ? clock(reported.started_at, { day: true }) : null,
        reason: reported.reason,
        batch: reported.batch,
      }),
      el(
        "div",
        { class: "row" },
        reported.stream_id
          ? el(
              "button",
              { type: "button", onclick: () => this.stream({ id: reported.stream_id }) },
              `Stream ${reported.stream_id}`,
            )
          : null,
        el("button", { type: "button", onclick: () => this.query(reported.query_id) }, `Query ${reported.query_id}`),
      ),
      el("h3", {}, found.changed_since ? "The query as it was then (it was changed since)" : "The query"),
      el("pre", { tabIndex: 0 }, found.sql ?? JSON.stringify(found.query, null, 1)),
    );
    this.open();
  }

  /** Say that what is shown is of before. */
  gone() {
    if (this.element.querySelector(".gone")) return;
    const text = "The job has forgotten this stream: no row of it has come for long.";
    this.element.querySelector(".head")?.after(el("p", { class: "because gone", role: "status" }, text));
  }

  head(what, name, family) {
    return el(
      "div",
      { class: "head" },
      el("p", {}, family ? el("span", { class: `key ${family}` }, what) : what),
      el("h2", {}, name),
      el("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.clear() }, "×"),
    );
  }

  /** Forms stay the same while what is selected is shown anew: somebody may be writing, or waiting for an answer. */
  lasting(quietly, make) {
    if (!quietly) this.forms = make();
    return this.forms;
  }

  actions(found, quietly) {
    const { open, why } = this.control();
    const act = (path, name) =>
      el(
        "button",
        { type: "button", disabled: !open, title: open ? "" : why, onclick: () => this.act(path, { id: found.id }) },
        name,
      );
    return el(
      "div",
      { class: "row" },
      el("button", { type: "button", disabled: !open || found.paused, onclick: () => this.edit(found.query) }, "Edit"),
      el("button", { type: "button", disabled: !open || !found.sql, onclick: () => this.write(found.sql) }, "As SQL"),
      found.paused ? act("resume", "Resume") : act("pause", "Pause"),
      act("drop", "Drop"),
      quietly ? this.said : this.problem(),
    );
  }

  problem() {
    this.said = el("p", { class: "wrong", role: "alert" });
    return this.said;
  }

  async act(path, what) {
    try {
      this.sent(await post(path, what));
    } catch (problem) {
      if (this.said) this.said.textContent = problem.message;
    }
  }

  /** A form that registers a query for the nearest of a stream. */
  nearest(found) {
    const k = el("input", { type: "number", min: 1, max: 100, value: 5, class: "short" });
    const watch = () =>
      this.act("register", {
        query: { type: "nearest", id: `nearest to ${found.id}`, k: Number(k.value), focal: found.id },
      });
    return el(
      "div",
      { class: "row inputs" },
      labelled("Its nearest", k),
      el("button", { type: "button", disabled: !this.control().open, onclick: watch }, "Watch them"),
      this.problem(),
    );
  }

  /** A form that explains why a stream and a query had no event. */
  whyNot({ stream = "", query = "" }) {
    const other = el("input", {
      type: "text",
      placeholder: stream ? "name of a query" : "id of a stream",
      autocomplete: "off",
      spellcheck: false,
    });
    const said = el("div", { role: "status", class: "findings" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        const found = await request("why", { stream: stream || other.value.trim(), query: query || other.value.trim() });
        fill(
          said,
          found.findings.map((each) => el("p", {}, el("b", {}, each.reason), ` ${each.text}`)),
        );
      } catch (problem) {
        fill(said, el("p", { class: "wrong" }, problem.message));
      }
    };
    return el(
      "form",
      { class: "why", onsubmit: submit },
      el("h3", {}, "Why did nothing happen?"),
      el(
        "div",
        { class: "row inputs" },
        labelled(stream ? "Query" : "Stream", other),
        el("button", { type: "submit" }, "Ask"),
      ),
      said,
      stream ? null : suggested(other, "streams"),
    );
  }

  /** Show the same again, as it is now; what one is writing stays. */
  renew({ always = false } = {}) {
    if ((this.element.hidden && !always) || !this.what) return;
    const { kind, which } = this.what;
    if (!always && this.element.contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;
    if (kind === "stream") this.stream(which, { quietly: true });
    if (kind === "query") this.query(which, { quietly: true });
  }

  kept() {
    const focused = [...this.element.querySelectorAll("button, input")].indexOf(document.activeElement);
    return { focused, top: this.element.scrollTop };
  }

  restore(kept) {
    if (!kept) return;
    this.element.scrollTop = kept.top;
    if (kept.focused >= 0) this.element.querySelectorAll("button, input")[kept.focused]?.focus({ preventScroll: true });
  }

  async get(path, which, silently = false) {
    try {
      return await request(path, silently ? { ...which, maybe: 1 } : which);
    } catch (problem) {
      if (silently) return undefined;
      this.what = null;
      fill(this.element, el("p", { class: "wrong", role: "alert" }, problem.message));
      this.open();
      return undefined;
    }
  }
}
