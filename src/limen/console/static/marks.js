// What is drawn above the streams: the trail of a chosen one, the step of an event over a border, the tuples of an alert.
import { palette } from "./dom.js";
import { METRES_A_DEGREE } from "./earth.js";

export class Marks {
  constructor(view, vehicles, regions) {
    Object.assign(this, { view, vehicles, regions });
    this.trail = this.step = this.shape = null;
    this.groups = []; // places of tuples that stand together in an alert
    this.alerts = []; // of the last seconds
    this.links = null; // from a focal stream, or a place, to the members of an answer
    vehicles.extra.push((ctx, frame, now) => this.draw(ctx, frame, now));
  }

  clear() {
    this.trail = this.step = this.shape = this.links = null;
    this.groups = [];
    this.vehicles.selected = -1;
    this.vehicles.marked.clear();
    this.vehicles.stale();
  }

  /** Show an alert for a while. */
  alert(event) {
    const places = (event.places ?? []).filter((each) => each.place).map((each) => each.place);
    if (places.length) this.alerts.push({ places, until: performance.now() + 4000 });
    this.alerts.splice(0, Math.max(this.alerts.length - 15, 0));
  }

  draw(ctx, frame, now) {
    const colours = palette();
    ctx.lineJoin = ctx.lineCap = "round";
    for (const query of this.regions.moving) this.around(ctx, frame, now, query, colours[query.family]);
    if (this.trail?.length > 1) {
      this.line(ctx, frame, this.trail);
      outlined(ctx, colours.accent, colours.paper, 2.5);
    }
    if (this.shape) {
      this.regions.trace(ctx, frame, this.shape);
      outlined(ctx, colours.accent, colours.paper, 3);
    }
    if (this.links) {
      const { from, at } = this.links;
      const [u, v] = at ? [this.view.plane.u(...at), this.view.plane.v(...at)] : this.vehicles.place(from, now);
      ctx.beginPath();
      for (const slot of this.links.to) {
        const [a, b] = this.vehicles.place(slot, now);
        ctx.moveTo(u * frame.scale + frame.left, v * frame.scale + frame.top);
        ctx.lineTo(a * frame.scale + frame.left, b * frame.scale + frame.top);
      }
      outlined(ctx, colours.nearest, colours.paper, 1.5);
    }
    if (this.step) {
      this.line(ctx, frame, this.step);
      outlined(ctx, colours.ink, colours.paper, 3);
      this.dots(ctx, frame, this.step, [colours.paper, colours.ink], colours.ink);
    }
    this.alerts = this.alerts.filter((alert) => alert.until > now);
    for (const places of [...this.alerts.map((alert) => alert.places), ...this.groups]) {
      if (!places.length) continue;
      this.line(ctx, frame, [...places, places[0]]);
      outlined(ctx, colours.pattern, colours.paper, 1.5);
      this.dots(ctx, frame, places, [colours.pattern], colours.paper, 3.5);
    }
    return this.alerts.length > 0;
  }

  /** Draw what a query around a stream looks at. */
  around(ctx, frame, now, { focal, across, up, round, slot }, colour) {
    const [u, v] = this.vehicles.place(focal, now);
    if (Number.isNaN(u)) return;
    const { plane, lonlat } = this.view;
    const [x, y] = [plane.x(u, v), plane.y(u, v)];
    const east = lonlat ? across / (METRES_A_DEGREE * Math.cos((y * Math.PI) / 180)) : across,
      north = lonlat ? up / METRES_A_DEGREE : up;
    const [px, py] = [u * frame.scale + frame.left, v * frame.scale + frame.top];
    const rx = Math.abs(plane.u(x + east, y) - u) * frame.scale || 9,
      ry = Math.abs(plane.v(x, y + north) - v) * frame.scale || 9;
    ctx.beginPath();
    if (round || !across) ctx.ellipse(px, py, rx, ry, 0, 0, 6.2832);
    else ctx.rect(px - rx, py - ry, 2 * rx, 2 * ry);
    ctx.globalAlpha = slot === this.regions.selected ? 0.3 : 0.12;
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = colour;
    ctx.stroke();
  }

  line(ctx, frame, places) {
    ctx.beginPath();
    places.forEach((place, at) => {
      const [x, y] = this.view.point(place, frame);
      if (at) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
    });
  }

  dots(ctx, frame, places, fills, edge, radius = 4.5) {
    places.forEach((place, at) => {
      const [x, y] = this.view.point(place, frame);
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 6.2832);
      ctx.fillStyle = fills[at % fills.length];
      ctx.fill();
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = edge;
      ctx.stroke();
    });
  }
}

function outlined(ctx, colour, paper, width) {
  ctx.lineWidth = width + 3;
  ctx.globalAlpha = 0.8;
  ctx.strokeStyle = paper;
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.stroke();
}
