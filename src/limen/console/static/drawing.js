// Drawing on the map: a box or a circle by dragging, a polygon by its corners. With the keyboard, Enter puts one in the middle.
import { byId } from "./dom.js";
import { METRES_A_DEGREE } from "./earth.js";

const HINTS = {
  box: "Drag from corner to corner. Enter puts a box in the middle, Escape ends.",
  circle: "Drag from the middle outwards. Enter puts a circle in the middle, Escape ends.",
  polygon: "Click corner after corner; double click or Enter closes it, Escape ends.",
};

export class Drawing {
  constructor(view, { done, colours }) {
    this.view = view;
    this.done = done;
    this.colours = colours;
    this.tool = null;
    this.corners = [];
    this.closed = -Infinity;
    this.stale = view.layer("drawing", (ctx, frame) => this.draw(ctx, frame));
    const element = view.map.getContainer();
    this.element = element;
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () =>
        this.choose(this.tool === button.dataset.tool ? null : button.dataset.tool),
      );
    }
    element.addEventListener("pointerdown", (event) => this.down(event), true);
    element.addEventListener("pointermove", (event) => this.move(event), true);
    element.addEventListener("pointerup", (event) => this.up(event), true);
    element.addEventListener("dblclick", (event) => this.tool && (stop(event), this.close()), true);
    // The click that ends a drawing selects nothing.
    element.addEventListener(
      "click",
      (event) =>
        (this.tool || performance.now() - this.closed < 400) &&
        !event.target.closest(".leaflet-control") &&
        stop(event),
      true,
    );
    document.addEventListener("keydown", (event) => this.key(event));
  }

  choose(tool) {
    this.tool = tool;
    this.corners = [];
    this.pointer = null;
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }
    const on = tool === null ? "enable" : "disable";
    this.view.map.dragging[on]();
    this.view.map.doubleClickZoom[on]();
    this.element.classList.toggle("drawing", tool !== null);
    byId("hint").hidden = tool === null;
    byId("hint").textContent = tool === null ? "" : HINTS[tool];
    this.stale();
  }

  spot(event) {
    const edge = this.element.getBoundingClientRect();
    return this.view.at({ x: event.clientX - edge.left, y: event.clientY - edge.top });
  }

  ours(event) {
    return this.tool !== null && !event.target.closest(".leaflet-control") && event.isPrimary && event.button <= 0;
  }

  down(event) {
    if (!this.ours(event)) return;
    stop(event);
    const spot = this.spot(event);
    if (this.tool === "polygon") this.corners.push(spot);
    else this.corners = [spot];
    this.pointer = spot;
    this.stale();
  }

  move(event) {
    if (this.tool === null || !this.corners.length) return;
    this.pointer = this.spot(event);
    this.stale();
  }

  up(event) {
    if (!this.ours(event) || this.tool === "polygon" || !this.corners.length) return;
    stop(event);
    this.pointer = this.spot(event);
    this.close();
  }

  key(event) {
    if (this.tool === null || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") this.choose(null);
    else if (event.key === "Enter") {
      event.preventDefault();
      if (!this.corners.length) this.middle();
      this.close();
    }
  }

  /** Put a shape of a third of the picture into its middle. */
  middle() {
    const { west, south, east, north } = this.view.bounds;
    const [x, y, w, h] = [(west + east) / 2, (south + north) / 2, (east - west) / 6, (north - south) / 6];
    if (this.tool === "circle") [this.corners, this.pointer] = [[[x, y]], [x + Math.min(w, h), y]];
    else if (this.tool === "box") [this.corners, this.pointer] = [[[x - w, y - h]], [x + w, y + h]];
    else
      [this.corners, this.pointer] = [
        [
          [x - w, y - h],
          [x + w, y - h],
          [x, y + h],
        ],
        [x, y + h],
      ];
  }

  close() {
    const region = this.region();
    this.closed = performance.now();
    this.choose(null);
    if (region) this.done(region);
  }

  /** What is drawn, as a region in JSON. */
  region() {
    if (!this.corners.length) return null;
    const [a, b] = [this.corners[0], this.pointer ?? this.corners[0]];
    if (this.tool === "box") {
      const [lo, hi] = [
        [Math.min(a[0], b[0]), Math.min(a[1], b[1])],
        [Math.max(a[0], b[0]), Math.max(a[1], b[1])],
      ];
      return { type: "box", lo: lo.map(round), hi: hi.map(round) };
    }
    if (this.tool === "circle") return { type: "circle", center: a.map(round), radius: round(this.distance(a, b)) };
    const shell = this.corners.filter((corner, at) => at === 0 || String(corner) !== String(this.corners[at - 1]));
    return { type: "polygon", shell: shell.map((corner) => corner.map(round)) };
  }

  distance([x0, y0], [x1, y1]) {
    if (!this.view.lonlat) return Math.hypot(x1 - x0, y1 - y0);
    return Math.hypot((x1 - x0) * Math.cos((y0 * Math.PI) / 180), y1 - y0) * METRES_A_DEGREE;
  }

  draw(ctx, frame) {
    if (!this.corners.length || !this.pointer) return;
    const colour = this.colours().accent;
    const points = [...this.corners, this.pointer].map((spot) => this.view.point(spot, frame));
    const [a, b] = [points[0], points[points.length - 1]];
    ctx.beginPath();
    if (this.tool === "box") ctx.rect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
    else if (this.tool === "circle") ctx.arc(a[0], a[1], Math.hypot(b[0] - a[0], b[1] - a[1]), 0, 6.2832);
    else points.forEach(([x, y], at) => (at ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.globalAlpha = 0.15;
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.lineWidth = 2;
    ctx.setLineDash([6, 4]);
    ctx.strokeStyle = colour;
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

const round = (value) => Number(value.toPrecision(9));
