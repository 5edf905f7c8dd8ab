// What is known of a stream, a query or an event, as lists and tables.
import { clock, count, el, number, span } from "./dom.js";

/** A number that comes as text, with as many digits as one reads. */
const tidy = (value) => (value && value.length > 6 && /^-?\d+\.\d+$/.test(value) ? number(Number(value)) : value);

export function facts(values) {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return el(
    "dl",
    { class: "facts" },
    known.map(([name, value]) =>
      el(
        "div",
        {},
        el("dt", {}, name),
        el("dd", { title: String(value) }, typeof value === "number" ? number(value) : tidy(String(value))),
      ),
    ),
  );
}

/** Who or what is inside, since when. */
export function members(list, chosen, now, heading = "Stream") {
  if (!list.length) return el("p", { class: "quiet" }, "None that the console knows of.");
  const rows = list
    .slice(0, 40)
    .map((each) =>
      el(
        "tr",
        {},
        el(
          "td",
          {},
          el(
            "button",
            { type: "button", class: "link", onclick: () => chosen(each) },
            each.family ? el("span", { class: `key ${each.family}`, "aria-hidden": "true" }) : null,
            each.id,
          ),
        ),
        el("td", { class: "figure" }, clock(each.since)),
        el("td", { class: "figure" }, now ? span(Math.max(now - each.since, 0) / 1e6) : ""),
      ),
    );
  const more = list.length > 40 ? el("p", { class: "quiet" }, `and ${count(list.length - 40)} more`) : null;
  return el(
    "div",
    {},
    el(
      "table",
      { class: "members" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, heading),
          el("th", { scope: "col", class: "figure" }, "Since"),
          el("th", { scope: "col", class: "figure" }, "For"),
        ),
      ),
      el("tbody", {}, rows),
    ),
    more,
  );
}

function head(names, figures = []) {
  const cell = (name) => el("th", { scope: "col", class: figures.includes(name) ? "figure" : "" }, name);
  return el("thead", {}, el("tr", {}, names.map(cell)));
}

export function rowsTable(rows, event) {
  const columns = [...Object.keys(rows[0].values), ...Object.keys(rows[0].attributes)];
  return el(
    "table",
    { class: "tuples" },
    head(["", "time", ...columns], Object.keys(rows[0].values)),
    el(
      "tbody",
      {},
      rows.map((row, at) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, at === rows.length - 1 && row.time === event.time ? "after" : "before"),
          el("td", {}, clock(row.time)),
          ...Object.values(row.values).map((value) =>
            el("td", { class: "figure", title: String(value) }, number(value)),
          ),
          ...Object.values(row.attributes).map((value) => el("td", { title: value ?? "" }, tidy(value) ?? "–")),
        ),
      ),
    ),
  );
}

export function bindingsTable(bindings, chosen) {
  return el(
    "table",
    { class: "tuples" },
    head(["variable", "stream", "time", "place"], ["place"]),
    el(
      "tbody",
      {},
      bindings.map((each) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, each.variable),
          el("td", {}, el("button", { type: "button", class: "link", onclick: () => chosen(each) }, each.stream_id)),
          el("td", {}, clock(each.time)),
          el("td", { class: "figure" }, each.place ? each.place.map(number).join(", ") : "not in the sample"),
        ),
      ),
    ),
  );
}
