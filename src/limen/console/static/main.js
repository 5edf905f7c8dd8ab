// The console's page: puts its parts together, and passes news on to them.
import { Charts } from "./charts.js";
import { Detail } from "./detail.js";
import { byId, compact, count, lag, palette, span } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Feed } from "./feed.js";
import { COUNTS, POSITIONS, read } from "./frames.js";
import { Link, request } from "./link.js";
import { Marks } from "./marks.js";
import { Queries } from "./queries.js";
import { Regions, bounds, legend } from "./regions.js";
import { Register } from "./register.js";
import { Requests } from "./requests.js";
import { Sql } from "./sql.js";
import { tabs } from "./tabs.js";
import { theme } from "./theme.js";
import { Vehicles } from "./vehicles.js";
import { View } from "./view.js";

let now = { control: { open: false, why: "" } };
let origin = null;
let alerted = false; // whether anything of a pattern was drawn

const first = await request("overview").catch(() => null);
const view = new View(byId("map"), first ?? { crs: "planar", bounds: null });
const regions = new Regions(view, { onSight: inSight });
const vehicles = new Vehicles(view);
const marks = new Marks(view, vehicles, regions);
const control = () => now.control;
const sent = () => link.listen(link.filter);
const register = new Register({ control, sent });
const show = tabs((name) =>
  ({ queries: () => queries.renew(), charts: () => charts.show(), detail: () => detail.renew() })[name]?.(),
);
const sql = new Sql(byId("sql"), { control, middle: () => view.middle() });
const detail = new Detail(byId("detail"), {
  control,
  sent,
  shown: selected,
  edit: (query) => register.edit(query),
  open: () => ((byId("tab-detail").hidden = false), show("detail")),
  write: (text) => (show("sql"), sql.write(text)),
});
const feed = new Feed(byId("feed"), {
  filtered: (filter) => link.listen(filter),
  chosen: (event) => detail.event(event),
  wanted: (what, id) => (what === "query" ? detail.query(id, { maybe: true }) : detail.stream({ id }, { maybe: true })),
});
const queries = new Queries(byId("queries"), { chosen: (id) => detail.query(id) });
const charts = new Charts(byId("charts"));
const requests = new Requests();
const drawing = new Drawing(view, { done: (region) => register.drawn(region), colours: palette });
theme(() => (vehicles.recolour(), regions.recolour(), byId("charts").hidden || charts.draw()));

const link = new Link({
  bytes(buffer) {
    const frame = read(buffer);
    if (frame.kind === POSITIONS) vehicles.take(frame, performance.now());
    else if (frame.kind === COUNTS) regions.count(frame);
  },
  news: take,
  state(open) {
    document.body.classList.toggle("lost", !open);
    if (!open)
      health({ state: "lost", text: "The console does not answer. The page tries again by itself; a job that runs goes on without it." });
  },
});
window.limen = { view, vehicles, regions, feed, link, latency: [] }; // for tests and the browser's console

function take(news) {
  for (const { written } of news.batches.slice(-1)) limen.latency.push(Date.now() - written / 1000);
  limen.latency.splice(0, limen.latency.length - 600);
  if (news.origin !== origin) begin(news);
  else if (news.numbering !== now.numbering) renumbered();
  const newVersion = news.queries_version !== now.queries_version;
  now = news;
  health(news.health, news.remarks);
  figures(news);
  charts.take(news.batches);
  feed.take(news.events, news.skipped);
  for (const event of news.events.filter(({ places }) => places)) {
    marks.alert(event);
    if (!alerted) (alerted = true), inSight(regions.sight);
  }
  requests.take(news.requests);
  const fresh = news.requests.filter(
    ({ state, op, sent }) => state === "in force" && op === "register" && recent(sent),
  );
  regions.welcome(fresh.map(({ id }) => id));
  if (newVersion) regions.soon();
  if (news.batches.length || newVersion) {
    queries.soon(50);
    detail.renew();
  }
}

const recent = (seconds) => Date.now() / 1000 - seconds < 45;

/** Another job, or one that has begun anew: nothing of before holds. */
async function begin(news) {
  const before = origin;
  origin = news.origin;
  if (before !== null || !first?.origin) {
    if (news.origin && !first?.origin && before === null) location.reload(); // its columns may be others
    vehicles.forget();
    charts.take([], { anew: true });
    detail.clear();
  }
  feed.renew();
  regions.soon(0);
  const roads = await fetch("/api/roads").catch(() => null);
  if (roads?.status === 200) regions.takeRoads(read(await roads.arrayBuffer()));
}

/** Some streams were forgotten, and the others have new slots: what is drawn by slot is requested again. */
function renumbered() {
  vehicles.forget();
  vehicles.selected = -1;
  vehicles.marked.clear();
  marks.links = null;
  regions.soon(0);
  detail.renew({ always: true });
}

const LIVE = ["running", "quiet"];
const read_remarks = new Set();

function health({ state, text }, remarks = []) {
  byId("health").dataset.state = state;
  byId("health").title = text;
  if (byId("health-word").textContent !== state) byId("health-word").textContent = state;
  if (!LIVE.includes(state)) for (const name of ["rows", "events", "batch", "lag"]) byId(`now-${name}`).textContent = "–";
  const grave = state !== "running" && state !== "ended";
  const lines = [...(grave ? [text] : []), ...remarks.filter((remark) => !read_remarks.has(remark))];
  const notice = byId("notice");
  notice.hidden = !lines.length;
  notice.dataset.state = grave ? state : "remark";
  if (byId("notice-text").textContent !== lines.join("\n")) byId("notice-text").textContent = lines.join("\n");
  const close = byId("notice-close");
  close.hidden = lines.length === Number(grave);
  close.onclick = () => (remarks.forEach((remark) => read_remarks.add(remark)), health({ state, text }, remarks));
}

function figures(news) {
  const latest = news.batches[news.batches.length - 1];
  byId("name").textContent = first?.name ?? "";
  sql.about(/^\w+$/.test(first?.stream ?? "stream") ? first?.stream ?? "stream" : `\`${first.stream}\``);
  byId("now-streams").textContent = compact(news.streams_of_job);
  byId("now-queries").textContent = compact(news.queries);
  byId("sample").textContent = sampled(news);
  if (!latest || !LIVE.includes(news.health.state)) return;
  const quiet = news.health.state === "quiet";
  byId("now-rows").textContent = quiet ? "0" : compact(latest.rows_per_second);
  byId("now-events").textContent = quiet ? "0" : compact(latest.events_per_second);
  byId("now-batch").textContent = span(latest.milliseconds / 1000);
  byId("now-lag").textContent = lag(latest.lag);
}

/** How much of what there is this page shows. */
function sampled({ sample, streams }) {
  if (!streams) return "No streams yet. Times are in UTC.";
  const streamsShown = sample.one_of > 1 ? `1 stream of ${sample.one_of} is shown, ${count(streams)}` : `All ${count(streams)} streams are shown`;
  const some = sample.events_told < sample.events_seen;
  const what = some ? `${count(sample.events_told)} of ${count(sample.events_seen)}` : `all ${count(sample.events_seen)}`;
  return `${streamsShown}; ${what} events since the console started. Times are in UTC.`;
}

function inSight({ total, clustered }) {
  const families = new Set(
    regions.shapes.map((shape) => shape.family).concat(regions.clusters?.map((each) => each.family) ?? []),
  );
  if (alerted) families.add("pattern");
  legend(byId("legend"), families);
  if (clustered) byId("legend").append(`${count(total)} queries in sight, shown in groups: zoom in to see each`);
}

/** Show on the map what the panel is about. */
function selected(what) {
  marks.clear();
  regions.selected = -1;
  if (what?.stream) {
    vehicles.selected = what.stream.slot;
    marks.trail = what.stream.trail.filter((place) => !place.includes(null));
  } else if (what?.query) {
    regions.selected = what.query.slot;
    vehicles.marked = new Set(what.query.members.map((each) => each.slot));
    const places = [...vehicles.marked].map((slot) => vehicles.lastPosition(slot)).filter((place) => !place.includes(NaN));
    const point = what.query.shape?.point;
    if (point && what.query.family === "nearest") marks.links = { at: point, to: [...vehicles.marked] };
    marks.groups = what.query.latest.map(placesOf).filter((group) => group.length);
    if (!what.quietly) view.reveal([...corners(what.query.shape), ...(point ? places : []), ...marks.groups.flat()]);
    if (what.query.focal >= 0 && what.query.focal !== null) {
      vehicles.selected = what.query.focal;
      if (what.query.family === "nearest") marks.links = { from: what.query.focal, to: [...vehicles.marked] };
      const focal = vehicles.lastPosition(what.query.focal);
      if (!what.quietly) view.reveal([...places, ...(focal.includes(NaN) ? [] : [focal])]);
    }
  } else if (what?.event) {
    marks.shape = what.event.shape;
    marks.step = what.event.rows.length
      ? what.event.rows.map((row) => row.place).filter((place) => !place.includes(null))
      : null;
    marks.groups = [placesOf({ places: what.event.bindings })];
    view.reveal([...(marks.step ?? []), ...marks.groups.flat(), ...corners(what.event.shape)]);
  } else {
    byId("tab-detail").hidden = true;
    if (!byId("detail").hidden) show("feed");
  }
  regions.stale();
  vehicles.stale();
}

/** Where the tuples of an alert were, as far as that is known. */
const placesOf = ({ places }) => (places ?? []).map((each) => each.place).filter(Boolean);

/** Corners of the box around a shape, unless it is without end. */
function corners(shape) {
  if (!shape) return [];
  const [west, south, east, north] = bounds(shape);
  return Math.max(east - west, north - south) < 1e11
    ? [
        [west, south],
        [east, north],
      ]
    : [];
}

// Pointing at the map shows the stream or query there; a click selects it.
const tip = byId("tip");
view.map.on("mousemove", ({ containerPoint: { x, y } }) => {
  const shape = drawing.tool || vehicles.near(x, y, 6) >= 0 ? null : regions.at(x, y);
  tip.hidden = !shape;
  if (!shape) return;
  tip.textContent = `${shape.id} · ${shape.family}${shape.family === "match" ? "" : ` · ${count(shape.inside)} inside`}`;
  tip.style.transform = `translate(${Math.min(x + 14, view.map.getSize().x - tip.offsetWidth - 4)}px, ${y + 14}px)`;
});
view.map.on("mouseout", () => (tip.hidden = true));
view.map.on("click", ({ containerPoint: { x, y } }) => {
  const slot = vehicles.near(x, y);
  if (slot >= 0) return detail.stream({ slot });
  const shape = regions.at(x, y);
  if (shape) detail.query(shape.id, { here: true });
  else detail.clear();
});
