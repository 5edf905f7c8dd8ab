// The dialog in which a drawing, or a query that is there, becomes a query: what it watches, its name, its numbers.
import { byId, el, fill } from "./dom.js";
import { labelled } from "./feed.js";
import { post } from "./link.js";

const KINDS = {
  border: "report streams that enter or leave",
  transition: "report streams that pass through, return or stay",
  within: "keep the set of streams inside",
  match: "report every row inside",
};

export class Register {
  constructor({ control, sent }) {
    this.control = control;
    this.sent = sent;
    this.dialog = byId("register");
  }

  /** Open the dialog for a drawn region. */
  drawn(region) {
    this.open({ type: "border", id: "", region }, { drawn: true, title: "A new query here" });
  }

  /** Edit a query that is there; what the dialog has no fields for is kept as it is. */
  edit(query) {
    this.open(query, { drawn: false, title: `Edit ${query.id}` });
  }

  open(query, { drawn, title }) {
    const control = this.control();
    const id = el("input", {
      type: "text",
      required: true,
      maxLength: 200,
      value: query.id,
      readOnly: !drawn,
      autocomplete: "off",
    });
    const kinds = drawn || query.type in KINDS ? Object.entries(KINDS) : [[query.type, query.type]];
    const kind = el(
      "select",
      { disabled: !drawn },
      kinds.map(([name, says]) => el("option", { value: name }, `${name}: ${says}`)),
    );
    kind.value = query.type;
    const within = el("input", { type: "number", min: "0.001", step: "any", value: query.within ?? 60 });
    const where = el("input", {
      type: "text",
      value: query.where ?? "",
      placeholder: "such as speed > 40",
      spellcheck: false,
    });
    const initial = el("input", { type: "checkbox", checked: drawn || query.initial === "report" });
    const place = el("textarea", { rows: 4, spellcheck: false, value: written(query) });
    const wrong = el("p", { class: "wrong", role: "alert" });
    const times = labelled("Within, in seconds", within);
    const first = el("label", { class: "check" }, initial, "Also report the streams inside at the start");
    const shown = () => ((times.hidden = kind.value !== "transition"), (first.hidden = kind.value !== "border"));
    kind.addEventListener("change", shown);
    shown();
    const send = async (event) => {
      event.preventDefault();
      wrong.textContent = "";
      try {
        const made = made_of(query, {
          id: id.value.trim(),
          kind: kind.value,
          within: Number(within.value),
          where: where.value.trim(),
          initial: initial.checked,
          place: place.value,
        });
        this.sent(await post("register", { query: made, drawn }));
        this.dialog.close();
      } catch (problem) {
        wrong.textContent = problem.message;
      }
    };
    fill(
      this.dialog,
      el(
        "form",
        { method: "dialog", onsubmit: send },
        el("h2", { id: "register-title" }, title),
        control.open ? null : el("p", { class: "wrong" }, control.why, control.add ? el("pre", {}, control.add) : null),
        labelled("Name", id),
        labelled("What it does", kind),
        times,
        first,
        labelled("Only rows where (optional)", where),
        labelled(query.region ? "Place" : "Definition", place),
        wrong,
        el(
          "div",
          { class: "row" },
          el("button", { type: "submit", class: "main", disabled: !control.open }, drawn ? "Register" : "Replace"),
          el("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"),
        ),
      ),
    );
    this.dialog.showModal();
    (drawn ? id : where).focus();
  }
}

/** The part of a query that is edited as text: its region, or all that has no field of its own. */
function placeOf(query) {
  if (query.region) return query.region;
  const { id, type, where, within, initial, ...rest } = query;
  return rest;
}

/** That part as text: a region has numbers only, which fit on few lines. */
function written(query) {
  return query.region ? JSON.stringify(query.region).replaceAll(",", ", ") : JSON.stringify(placeOf(query), null, 1);
}

function made_of(query, { id, kind, within, where, initial, place }) {
  let read;
  try {
    read = JSON.parse(place);
  } catch {
    throw new Error("The place is not JSON.");
  }
  const { where: _, initial: __, within: ___, ...kept } = query;
  const made = { ...kept, type: kind, id };
  if (query.region) made.region = read;
  else Object.assign(made, read);
  if (where) made.where = where;
  if (kind === "transition") made.within = within;
  if (kind === "border" && initial) made.initial = "report";
  return made;
}
