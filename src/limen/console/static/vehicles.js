// Streams on the map: each moves evenly from where it was to where it was last reported to be.
import { palette } from "./dom.js";

const SOONEST = 300,
  LATEST = 8000; // milliseconds that a move takes on the picture
const QUIET = 60_000; // milliseconds after which a stream is drawn faintly, if reports do not come more rarely
const ROUND = 1.9; // from this size on, streams are round

export class Vehicles {
  constructor(view) {
    this.view = view;
    this.room = 0;
    this.length = 0;
    this.grow(4096);
    this.moving = 0; // until when something moves
    this.usual = 1000;
    this.marked = new Set(); // slots drawn larger: members of what is selected
    this.selected = -1;
    this.colours = palette();
    this.stale = view.layer("vehicles", (ctx, frame, now) => this.draw(ctx, frame, now));
    this.extra = []; // drawn above vehicles: (ctx, frame, now)
  }

  grow(room) {
    for (const name of ["u0", "v0", "u1", "v1", "since", "lasts"]) {
      const grown = new Float64Array(room).fill(NaN);
      if (this[name]) grown.set(this[name]);
      this[name] = grown;
    }
    this.room = room;
  }

  forget() {
    this.length = 0;
    this.selected = -1;
    this.marked.clear();
    this.grow(this.room);
    for (const name of ["u0", "v0", "u1", "v1", "since", "lasts"]) this[name].fill(NaN);
    this.stale();
  }

  /** Take reports; the first picture of a stream is where it is. */
  take({ slots, x, y, origin }, now) {
    const { u, v } = this.view.plane;
    let most = this.length;
    for (const slot of slots) if (slot >= most) most = slot + 1;
    if (most > this.room) this.grow(Math.max(most, this.room * 2));
    this.length = most;
    let between = 0,
      known = 0;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i],
        east = origin[0] + x[i],
        north = origin[1] + y[i];
      const [a, b] = this.place(slot, now);
      const last = this.since[slot];
      this.u1[slot] = u(east, north);
      this.v1[slot] = v(east, north);
      if (Number.isNaN(a)) {
        this.u0[slot] = this.u1[slot];
        this.v0[slot] = this.v1[slot];
      } else {
        this.u0[slot] = a;
        this.v0[slot] = b;
        between += now - last;
        known += 1;
      }
      this.since[slot] = now;
    }
    // Reports come about as often as they did before; a move that lasts that long ends when the next one begins.
    if (known) this.usual = 0.7 * this.usual + 0.3 * Math.min(Math.max(between / known, SOONEST), LATEST);
    const lasts = this.usual * 1.05;
    for (const slot of slots) this.lasts[slot] = lasts;
    this.moving = now + lasts;
    this.stale();
  }

  /** Where a stream is in the plane now. */
  place(slot, now) {
    if (slot < 0 || slot >= this.length) return [NaN, NaN];
    const part = Math.min((now - this.since[slot]) / this.lasts[slot], 1) || 0;
    return [
      this.u0[slot] + (this.u1[slot] - this.u0[slot]) * part,
      this.v0[slot] + (this.v1[slot] - this.v0[slot]) * part,
    ];
  }

  /** Coordinates of where a stream was last. */
  lastPosition(slot) {
    const { x, y } = this.view.plane;
    return [x(this.u1[slot], this.v1[slot]), y(this.u1[slot], this.v1[slot])];
  }

  draw(ctx, frame, now) {
    const { scale, left, top, width, height } = frame;
    const { u0, v0, u1, v1, since, lasts } = this;
    const half = this.size();
    const silent = now - Math.max(QUIET, 12 * this.usual); // not heard of since
    let seen = 0;
    for (const late of [true, false]) {
      ctx.fillStyle = late ? this.colours.quiet : this.colours.vehicle;
      ctx.globalAlpha = late ? 0.3 : 0.85;
      if (half >= ROUND) ctx.beginPath();
      for (let slot = 0; slot < this.length; slot++) {
        if (since[slot] < silent !== late) continue;
        let part = (now - since[slot]) / lasts[slot];
        if (!(part < 1)) part = 1;
        const px = (u0[slot] + (u1[slot] - u0[slot]) * part) * scale + left;
        const py = (v0[slot] + (v1[slot] - v0[slot]) * part) * scale + top;
        if (!(px > -8 && py > -8 && px < width + 8 && py < height + 8)) continue;
        seen += 1;
        if (half < ROUND) ctx.fillRect(px - half, py - half, 2 * half, 2 * half);
        else {
          ctx.moveTo(px + half, py);
          ctx.arc(px, py, half, 0, 6.2832);
        }
      }
      if (half >= ROUND) ctx.fill();
    }
    ctx.globalAlpha = 1;
    this.seen = seen;
    this.drawMarked(ctx, frame, now);
    let again = now < this.moving || half !== this.size();
    for (const draw of this.extra) again = draw(ctx, frame, now) || again;
    return again;
  }

  /** Half the width of a stream in the picture: the more are in sight, the smaller. */
  size() {
    const { x, y } = this.view.map.getSize();
    const apart = Math.sqrt((x * y) / ((this.seen ?? this.length) || 1));
    return Math.max(0.7, Math.min(4, Math.round(1.2 * apart) / 10));
  }

  drawMarked(ctx, frame, now) {
    if (this.marked.size) {
      ctx.beginPath();
      const many = this.marked.size > 25;
      for (const slot of this.marked) this.dot(ctx, frame, slot, now, many ? 2.6 : 4);
      ctx.lineWidth = many ? 1 : 3;
      ctx.strokeStyle = this.colours.paper;
      ctx.stroke();
      ctx.fillStyle = this.colours.accent;
      ctx.fill();
    }
    if (this.selected >= 0) {
      ctx.beginPath();
      this.dot(ctx, frame, this.selected, now, 5);
      ctx.fillStyle = this.colours.accent;
      ctx.fill();
      ctx.beginPath();
      this.dot(ctx, frame, this.selected, now, 10);
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = this.colours.accent;
      ctx.stroke();
    }
  }

  dot(ctx, frame, slot, now, radius) {
    const [u, v] = this.place(slot, now);
    if (Number.isNaN(u)) return;
    const x = u * frame.scale + frame.left,
      y = v * frame.scale + frame.top;
    ctx.moveTo(x + radius, y);
    ctx.arc(x, y, radius, 0, 6.2832);
  }

  /** The slot of the stream that is closest to a point of the picture, -1 if none is near. */
  near(x, y, reach = 9) {
    const frame = this.view.frame(),
      now = performance.now();
    let best = -1,
      least = reach * reach;
    for (let slot = 0; slot < this.length; slot++) {
      const [u, v] = this.place(slot, now);
      const dx = u * frame.scale + frame.left - x,
        dy = v * frame.scale + frame.top - y;
      const away = dx * dx + dy * dy;
      if (away < least) [best, least] = [slot, away];
    }
    return best;
  }

  recolour() {
    this.colours = palette();
    this.stale();
  }
}
