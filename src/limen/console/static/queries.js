// The table of queries, a page at a time: the console sorts and filters, however many there are.
import { FAMILIES, clock, count, el, fill, filters } from "./dom.js";
import { field, labelled } from "./feed.js";
import { request } from "./link.js";

const SIZE = 50;
const COLUMNS = [
  ["id", "Query"],
  ["inside", "Inside"],
  ["events", "Events"],
  ["last", "Last"],
];

export class Queries {
  constructor(element, { chosen }) {
    this.chosen = chosen;
    this.page = 0;
    this.sort = "events";
    this.text = field("name", "queries-text");
    this.family = el(
      "select",
      { id: "queries-family" },
      el("option", { value: "" }, "all"),
      ...FAMILIES.map((family) => el("option", { value: family }, family)),
    );
    for (const input of [this.text, this.family]) input.addEventListener("input", () => ((this.page = 0), this.soon()));
    this.head = el(
      "tr",
      {},
      COLUMNS.map(([key, name]) => this.heading(key, name)),
    );
    this.body = el("tbody");
    this.status = el("span", { role: "status" });
    this.back = el("button", { type: "button", onclick: () => this.turn(-1) }, "Back");
    this.next = el("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    fill(
      element,
      filters(
        "Filter queries",
        labelled("Name", this.text),
        labelled("Family", this.family),
      ),
      el(
        "div",
        { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Queries" },
        el("table", {}, el("thead", {}, this.head), this.body),
      ),
      el("div", { class: "pager" }, this.back, this.status, this.next),
    );
    this.element = element;
  }

  heading(key, name) {
    const button = el(
      "button",
      { type: "button", onclick: () => ((this.sort = key), (this.page = 0), this.renew()) },
      name,
    );
    return el("th", { scope: "col", class: key === "id" ? "" : "figure", "data-sort": key }, button);
  }

  soon(wait = 200) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.renew(), wait);
  }

  turn(by) {
    this.page += by;
    this.renew();
  }

  async renew() {
    if (this.element.hidden) return;
    const parameters = {
      page: this.page,
      size: SIZE,
      text: this.text.value.trim(),
      family: this.family.value,
      sort: this.sort,
    };
    const found = await request("queries", parameters).catch(() => null);
    if (!found) return;
    const last = Math.max(Math.ceil(found.total / SIZE) - 1, 0);
    if (this.page > last) return this.turn(last - this.page);
    for (const cell of this.head.children)
      cell.setAttribute(
        "aria-sort",
        cell.dataset.sort === this.sort ? (this.sort === "id" ? "ascending" : "descending") : "none",
      );
    this.show(found.rows);
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === last;
    const from = found.total ? this.page * SIZE + 1 : 0;
    this.status.textContent = `${count(from)}–${count(this.page * SIZE + found.rows.length)} of ${count(found.total)}`;
  }

  /** Rows that are there stay, so that nothing flickers and the focus is kept. */
  show(rows) {
    const known = new Map([...this.body.children].map((row) => [row.dataset.id, row]));
    this.body.replaceChildren(...rows.map((each) => this.row(each, known.get(each.id))));
  }

  row(each, known) {
    const row = known ?? this.fresh(each);
    const [inside, events, last] = [...row.children].slice(1);
    put(inside, each.family === "match" || each.family === "pattern" ? "–" : count(each.inside));
    put(events, count(each.events));
    put(last, clock(each.last));
    row.classList.toggle("paused", each.state === "paused");
    return row;
  }

  fresh(each) {
    const name = el(
      "button",
      { type: "button", class: "link", onclick: () => this.chosen(each.id) },
      el("span", { class: `key ${each.family}`, "aria-hidden": "true" }),
      each.id,
    );
    return el(
      "tr",
      { "data-id": each.id },
      el("td", {}, name, el("small", {}, each.family)),
      el("td", { class: "figure" }),
      el("td", { class: "figure" }),
      el("td", { class: "figure" }),
    );
  }
}

function put(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}
