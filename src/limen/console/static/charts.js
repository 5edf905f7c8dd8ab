// Charts of how the job does: one small picture a question, all with one axis of time.
import { count, el, fill, lag, palette, span } from "./dom.js";

const BYTES = (value) =>
  value >= 1e9
    ? `${(value / 1e9).toFixed(1)} GB`
    : value >= 1e6
      ? `${(value / 1e6).toFixed(1)} MB`
      : `${(value / 1e3).toFixed(0)} kB`;
const CHARTS = [
  { title: "Rows per second", lines: { rows: "rows_per_second" }, write: count },
  { title: "Events per second", lines: { events: "events_per_second" }, write: count },
  { title: "Time of a batch", lines: { batch: "milliseconds" }, write: (value) => span(value / 1000) },
  { title: "Lag of the watermark behind the clock", lines: { lag: "lag" }, write: lag },
  { title: "Late and rejected rows of a batch", lines: { late: "late", rejected: "rejected" }, write: count },
  { title: "State", lines: { state: "state_bytes" }, write: BYTES },
  {
    title: "Least accuracy of an answer under shedding",
    lines: { accuracy: "accuracy" },
    write: (value) => `${value.toFixed(0)} %`,
    top: 100,
    optional: true,
  },
];
const ROOM = 600;

export class Charts {
  constructor(element) {
    this.element = element;
    this.points = [];
    this.shown = null;
  }

  take(batches, { anew = false } = {}) {
    if (anew) this.points = [];
    const last = this.points.length ? this.points[this.points.length - 1].batch : -1;
    this.points.push(...batches.filter((point) => point.batch > last));
    this.points.splice(0, Math.max(this.points.length - ROOM, 0));
    if (!this.element.hidden) this.draw();
  }

  async show() {
    if (!this.shown) {
      this.shown = [];
      const { echarts } = await import("/static/vendor/echarts/echarts.js");
      fill(this.element);
      for (const chart of CHARTS) {
        const place = el("div", { class: "chart", role: "img", "aria-label": chart.title });
        const figure = el("figure", {}, el("figcaption", {}, el("span", {}, chart.title), el("output", {})), place);
        this.element.append(figure);
        this.shown.push({
          ...chart,
          figure,
          place,
          output: figure.querySelector("output"),
          picture: echarts.init(place, null, { renderer: "canvas" }),
        });
      }
      new ResizeObserver(() => this.shown.forEach(({ picture }) => picture.resize())).observe(this.element);
    }
    this.draw();
  }

  draw() {
    const colours = palette();
    const inks = [colours.accent, colours.transition];
    for (const chart of this.shown ?? []) {
      const keys = Object.entries(chart.lines);
      const known = this.points.some((point) => point[keys[0][1]] !== null && point[keys[0][1]] !== undefined);
      chart.figure.hidden = Boolean(chart.optional) && !known;
      if (chart.figure.hidden) continue;
      const series = keys.map(([name, key], at) => ({
        name,
        type: "line",
        showSymbol: false,
        animation: false,
        lineStyle: { width: 1.6, color: inks[at] },
        itemStyle: { color: inks[at] },
        areaStyle: keys.length === 1 ? { color: inks[at], opacity: 0.08 } : undefined,
        data: this.points.map((point) => [point.written / 1000, point[key]]),
      }));
      const latest = this.points[this.points.length - 1];
      chart.output.textContent = latest
        ? keys
            .map(
              ([name, key]) =>
                (keys.length > 1 ? `${name} ` : "") + (latest[key] === null ? "–" : chart.write(latest[key])),
            )
            .join(", ")
        : "–";
      const quiet = { color: colours.quiet, fontSize: 11 };
      chart.picture.setOption({
        // Tooltips are drawn, not written as markup.
        tooltip: {
          trigger: "axis",
          renderMode: "richText",
          confine: true,
          valueFormatter: (value) => (value === null || value === undefined ? "–" : chart.write(value)),
        },
        grid: { left: 52, right: 28, top: 8, bottom: 20 },
        useUTC: true,
        xAxis: {
          type: "time",
          axisLabel: { ...quiet, hideOverlap: true },
          axisLine: { lineStyle: { color: colours.road } },
          splitNumber: 4,
        },
        yAxis: {
          type: "value",
          max: chart.top,
          minInterval: chart.write === count ? 1 : undefined,
          splitNumber: 3,
          axisLabel: { ...quiet, formatter: chart.write },
          splitLine: { lineStyle: { color: colours.road } },
        },
        series,
      });
    }
  }
}
