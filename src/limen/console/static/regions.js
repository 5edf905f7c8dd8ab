// What lies under the streams: roads or a graticule, and the queries in sight, coloured by family and count.
import { FAMILIES, el, fill, palette } from "./dom.js";
import { request } from "./link.js";

const TWO_PI = 6.2832;
const CELL = 40; // pixels
const TOOLS = 290; // pixels at the left of the upper edge that are not free

export class Regions {
  constructor(view, { onSight }) {
    this.view = view;
    this.onSight = onSight; // called with how much is in sight
    this.shapes = [];
    this.clusters = null;
    this.bySlot = new Map();
    this.roads = null;
    this.sight = { total: 0, clustered: false };
    this.moving = []; // queries around a stream, which are drawn where it is
    this.selected = -1;
    this.fresh = new Set(); // ids of queries that have just come into force
    this.colours = palette();
    this.stale = view.layer("ground", (ctx, frame) => this.draw(ctx, frame));
    view.map.on("moveend zoomend resize", () => this.soon());
    this.version = -1;
  }

  /** Ask for what is in sight, once it stays so. */
  soon(wait = 160) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetch(), wait);
  }

  async fetch() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const found = await request("shapes", this.view.bounds).catch(() => null);
    if (!found || turn !== this.turn) return;
    this.shapes = found.shapes ?? [];
    this.clusters = found.clusters ?? null;
    this.moving = found.moving ?? [];
    this.bySlot = new Map(this.shapes.map((shape) => [shape.slot, shape]));
    // Small ones above large ones, so that each can be pointed at.
    for (const shape of this.shapes) {
      const [west, south, east, north] = (shape.around = bounds(shape.shape));
      shape.size = (east - west) * (north - south);
    }
    this.shapes.sort((a, b) => b.size - a.size);
    this.sight = { total: found.total, clustered: Boolean(this.clusters) };
    this.onSight(this.sight);
    this.stale();
  }

  /** Show for a while which queries have just come into force. */
  welcome(ids) {
    if (ids.length === this.fresh.size && ids.every((id) => this.fresh.has(id))) return;
    this.fresh = new Set(ids);
    this.stale();
  }

  count({ slots, inside }) {
    let seen = false;
    for (let i = 0; i < slots.length; i++) {
      const shape = this.bySlot.get(slots[i]);
      if (shape && shape.inside !== inside[i]) {
        shape.inside = inside[i];
        seen = true;
      }
    }
    if (seen) this.stale();
    if (this.clusters) this.soon(1500);
  }

  draw(ctx, frame) {
    ctx.lineJoin = "round";
    if (this.roads) this.drawRoads(ctx, frame);
    else if (!this.view.hasTiles) this.drawGraticule(ctx, frame);
    const most = Math.max(8, ...this.shapes.map((shape) => shape.inside));
    const crowds = this.crowds(frame);
    const others = this.selected >= 0 ? 0.35 : 1; // beside what is selected
    this.shapes.forEach((shape, at) => {
      if (!shape.shape) return;
      this.trace(ctx, frame, shape.shape);
      // Where many lie over each other, each is fainter, so that what is under them can be seen.
      const fade = Math.min(1, 2 / crowds[at]) * others;
      const chosen = shape.slot === this.selected || this.fresh.has(shape.id);
      const colour = this.colours[shape.family];
      const share = shape.state === "paused" ? 0 : Math.sqrt(shape.inside / most);
      ctx.globalAlpha = chosen ? 0.35 : (0.045 + 0.3 * share) * fade;
      ctx.fillStyle = colour;
      ctx.fill("evenodd");
      ctx.globalAlpha = shape.state === "paused" ? 0.45 : chosen ? 1 : Math.max(0.25, 0.7 * Math.sqrt(fade));
      ctx.setLineDash(shape.state === "paused" ? [4, 4] : []);
      ctx.lineWidth = chosen ? 3 : this.shapes.length > 400 ? 0.8 : 1.3;
      ctx.strokeStyle = colour;
      ctx.stroke();
    });
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    if (this.clusters) this.drawClusters(ctx, frame);
  }

  /** How many shapes lie over each part of the picture, and how many over the middle of each shape. */
  crowds(frame) {
    const { u, v } = this.view.plane;
    const wide = Math.ceil(frame.width / CELL),
      high = Math.ceil(frame.height / CELL);
    const cells = new Float32Array(wide * high);
    const boxes = this.shapes.map(({ around: [west, south, east, north] }) => {
      const x = (u(west, south) * frame.scale + frame.left) / CELL,
        y = (v(west, north) * frame.scale + frame.top) / CELL;
      return [
        x,
        y,
        (u(east, south) * frame.scale + frame.left) / CELL,
        (v(west, south) * frame.scale + frame.top) / CELL,
      ];
    });
    const inside = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
    for (const [x0, y0, x1, y1] of boxes) {
      const share = Math.min(1, x1 - x0) * Math.min(1, y1 - y0);
      for (let row = inside(y0, high); row <= inside(y1, high); row++) {
        for (let column = inside(x0, wide); column <= inside(x1, wide); column++) cells[row * wide + column] += share;
      }
    }
    return boxes.map(([x0, y0, x1, y1]) =>
      Math.max(1, cells[inside((y0 + y1) / 2, high) * wide + inside((x0 + x1) / 2, wide)]),
    );
  }

  /** Put a shape into the path of a canvas. */
  trace(ctx, frame, shape) {
    const { u, v } = this.view.plane;
    const { scale, left, top, width, height } = frame;
    const px = (x, y) => clamp(u(x, y) * scale + left, width);
    const py = (x, y) => clamp(v(x, y) * scale + top, height);
    ctx.beginPath();
    if (shape.box) {
      const [west, south, east, north] = shape.box;
      const x = px(west, south),
        y = py(west, north);
      ctx.rect(x, y, px(east, south) - x, py(west, south) - y);
    } else if (shape.ellipse) {
      const [x, y, across, up] = shape.ellipse;
      const mx = u(x, y) * scale + left,
        my = v(x, y) * scale + top;
      const rx = Math.abs(u(x + across, y) - u(x, y)) * scale,
        ry = Math.abs(v(x, y + up) - v(x, y)) * scale;
      ctx.ellipse(mx, my, Math.max(rx, 1.5), Math.max(ry, 1.5), 0, 0, TWO_PI);
    } else if (shape.point) {
      const [x, y] = shape.point;
      const mx = u(x, y) * scale + left,
        my = v(x, y) * scale + top;
      ctx.moveTo(mx, my - 7);
      ctx.lineTo(mx + 7, my);
      ctx.lineTo(mx, my + 7);
      ctx.lineTo(mx - 7, my);
      ctx.closePath();
    } else {
      for (const ring of shape.rings) {
        ring.forEach(([x, y], at) => (at ? ctx.lineTo(px(x, y), py(x, y)) : ctx.moveTo(px(x, y), py(x, y))));
        ctx.closePath();
      }
    }
  }

  drawClusters(ctx, frame) {
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = "600 10.5px system-ui, sans-serif";
    const most = Math.max(...this.clusters.map((cluster) => cluster.queries));
    for (const { x, y, queries, family } of this.clusters) {
      const [px, py] = this.view.point([x, y], frame);
      const radius = 6 + 12 * Math.sqrt(queries / most);
      ctx.beginPath();
      ctx.arc(px, py, radius, 0, TWO_PI);
      ctx.globalAlpha = 0.9;
      ctx.fillStyle = this.colours[family];
      ctx.fill();
      ctx.globalAlpha = 1;
      if (radius > 12) {
        ctx.fillStyle = this.colours.paper;
        ctx.fillText(queries < 1000 ? queries : `${Math.round(queries / 1000)}K`, px, py);
      }
    }
  }

  drawRoads(ctx, { scale, left, top, width, height }) {
    const { u, v, rank } = this.roads;
    ctx.strokeStyle = this.colours.road;
    for (let which = 2; which >= 0; which--) {
      ctx.beginPath();
      for (let at = 0; at < rank.length; at++) {
        if (rank[at] !== which) continue;
        const x0 = u[2 * at] * scale + left,
          y0 = v[2 * at] * scale + top;
        const x1 = u[2 * at + 1] * scale + left,
          y1 = v[2 * at + 1] * scale + top;
        if (Math.max(x0, x1) < 0 || Math.max(y0, y1) < 0 || Math.min(x0, x1) > width || Math.min(y0, y1) > height)
          continue;
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
      }
      ctx.lineWidth = [2.6, 1.6, 0.9][which];
      ctx.stroke();
    }
  }

  drawGraticule(ctx, frame) {
    const { west, south, east, north } = this.view.bounds;
    const step = niceStep((east - west) / 7);
    ctx.strokeStyle = this.colours.road;
    ctx.fillStyle = this.colours.quiet;
    ctx.font = "11px system-ui, sans-serif";
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let x = Math.ceil(west / step) * step; x <= east; x += step) {
      const [px] = this.view.point([x, (south + north) / 2], frame);
      ctx.moveTo(px, 0);
      ctx.lineTo(px, frame.height);
      if (px > TOOLS && px < frame.width - 70) ctx.fillText(label(x, step), px + 4, 15);
    }
    for (let y = Math.ceil(south / step) * step; y <= north; y += step) {
      const [, py] = this.view.point([west, y], frame);
      ctx.moveTo(0, py);
      ctx.lineTo(frame.width, py);
      if (py > 60 && py < frame.height - 50) ctx.fillText(label(y, step), 6, py - 4);
    }
    ctx.stroke();
  }

  takeRoads({ ends, rank, origin }) {
    const { u, v } = this.view.plane;
    const us = new Float64Array(ends.length / 2),
      vs = new Float64Array(ends.length / 2);
    for (let at = 0; at < us.length; at++) {
      const x = origin[0] + ends[2 * at],
        y = origin[1] + ends[2 * at + 1];
      us[at] = u(x, y);
      vs[at] = v(x, y);
    }
    this.roads = { u: us, v: vs, rank };
    this.stale();
  }

  /** The smallest shape at a point of the picture, or null. */
  at(x, y) {
    const ctx = (this.probe ??= document.createElement("canvas").getContext("2d"));
    const frame = this.view.frame();
    for (let at = this.shapes.length - 1; at >= 0; at--) {
      const shape = this.shapes[at];
      if (!shape.shape) continue;
      this.trace(ctx, frame, shape.shape);
      if (ctx.isPointInPath(x, y, "evenodd")) return shape;
    }
    return null;
  }

  recolour() {
    this.colours = palette();
    this.stale();
  }
}

/** What the colours mean. */
export function legend(element, families) {
  const shown = FAMILIES.filter((family) => families.has(family));
  fill(
    element,
    ...shown.map((family) => el("span", { class: `key ${family}` }, family)),
    el("span", { class: "key vehicle" }, "stream"),
    el("span", { class: "press" }, "press one to see more"),
  );
}

const clamp = (value, size) => Math.max(-4000, Math.min(size + 4000, value));

/** West, south, east and north of a shape. */
export function bounds({ box, ellipse, point, rings }) {
  if (box) return box;
  if (ellipse)
    return [ellipse[0] - ellipse[2], ellipse[1] - ellipse[3], ellipse[0] + ellipse[2], ellipse[1] + ellipse[3]];
  if (point) return [...point, ...point];
  const xs = rings.flat().map(([x]) => x),
    ys = rings.flat().map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function niceStep(rough) {
  const unit = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((step) => step >= rough);
}

const label = (value, step) => value.toFixed(Math.max(0, -Math.floor(Math.log10(step))));
