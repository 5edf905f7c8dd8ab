// Elements from plain values. Text is always text: nothing that comes from data is ever read as markup.

export const byId = (id) => document.getElementById(id);

/** Make an element: properties by name, `on…` handlers, then children (elements or text; null is left out). */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name in made && name !== "list" && name !== "form" && !name.includes("-")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Put children in place of those that are there. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** What narrows a list down; it is never sent anywhere. */
export function filters(name, ...fields) {
  const properties = { class: "filters", role: "search", "aria-label": name };
  return el("form", { ...properties, onsubmit: (event) => event.preventDefault() }, ...fields);
}

export const FAMILIES = ["border", "transition", "match", "within", "nearest", "pattern"];
const OF_KIND = {
  enter: "border",
  exit: "border",
  cross: "border",
  match: "match",
  passed: "transition",
  returned: "transition",
  stayed: "transition",
  gone: "transition",
  add: "within",
  remove: "within",
  alert: "pattern",
};
export const KINDS = Object.keys(OF_KIND);
export const familyOf = (kind) => OF_KIND[kind] ?? "border";

/** The colours of families, as the style sheet has them in the theme of now. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  const colours = Object.fromEntries(FAMILIES.map((family) => [family, read(`--${family}`)]));
  return {
    ...colours,
    vehicle: read("--vehicle"),
    ink: read("--ink"),
    road: read("--road"),
    paper: read("--land"),
    accent: read("--accent"),
    quiet: read("--quiet"),
  };
}

const whole = new Intl.NumberFormat("en");
const large = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const count = (number) => (number === null || number === undefined ? "–" : whole.format(Math.round(number)));
export const compact = (number) =>
  number === null || number === undefined
    ? "–"
    : number < 10_000
      ? whole.format(Math.round(number))
      : short.format(number);

/** A time of microseconds since 1970, as a clock shows it in UTC; with the day, if wanted and not today. */
export function clock(micros, { day = false } = {}) {
  if (micros === null || micros === undefined) return "–";
  const text = new Date(micros / 1000).toISOString();
  const today = text.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return day && !today ? text.slice(0, 19).replace("T", " ") : text.slice(11, 19);
}

/** How long, in the unit that fits. */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const size = Math.abs(seconds);
  if (size < 1) return `${Math.round(seconds * 1000)} ms`;
  if (size < 120) return `${size < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (size < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** How long something lags behind; what is ahead says so. */
export const lag = (seconds) => (seconds < 0 ? `${span(-seconds)} ahead` : span(seconds));

/** A number as one reads it: thousands in groups and a decimal, four decimals below, four digits below one. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) >= 1000) return large.format(value);
  return String(Math.abs(value) < 1 ? Number(value.toPrecision(4)) : Number(value.toFixed(4)));
}
