// The map: Leaflet for moving and zooming, canvases of our own for what is drawn on it.
import { leaflet as L } from "/static/vendor/leaflet/leaflet.js";
import { METRES_A_DEGREE } from "./earth.js";

const EARTH = 256;
const SMALL = 60; // pixels below which something is looked at from nearer
const MOST_NEARER = 4.5; // zoom levels

/** How coordinates become points of the plane that is drawn, at zoom 0. */
const PLANAR = { u: (x) => x, v: (_, y) => -y, x: (u) => u, y: (_, v) => -v };
const LONLAT = {
  u: (x) => EARTH * (x / 360 + 0.5),
  v: (_, y) =>
    EARTH *
    (0.5 - Math.log(Math.tan(Math.PI / 4 + (Math.max(-85.05, Math.min(85.05, y)) * Math.PI) / 360)) / (2 * Math.PI)),
  x: (u) => (u / EARTH - 0.5) * 360,
  y: (_, v) => (360 / Math.PI) * Math.atan(Math.exp((0.5 - v / EARTH) * 2 * Math.PI)) - 90,
};

export class View {
  constructor(element, { crs, bounds, tiles }) {
    this.lonlat = crs === "lonlat";
    this.plane = this.lonlat ? LONLAT : PLANAR;
    const first = bounds ?? (this.lonlat ? [-170, -60, 170, 75] : [0, 0, 1000, 1000]);
    this.first = [Math.min(first[0], first[2] - 1e-9), Math.min(first[1], first[3] - 1e-9), first[2], first[3]];
    this.map = L.map(element, {
      crs: this.lonlat ? L.CRS.EPSG3857 : L.CRS.Simple,
      zoomSnap: 0.25,
      zoomDelta: 0.75,
      wheelPxPerZoomLevel: 90,
      minZoom: this.lonlat ? 1 : -40,
      maxZoom: this.lonlat ? 21 : 40,
      // Canvases are drawn anew for each place; what Leaflet would move by itself is off.
      zoomAnimation: false,
      fadeAnimation: false,
      inertia: true,
      attributionControl: Boolean(tiles),
      zoomControl: false,
      keyboard: true,
    });
    L.control.zoom({ position: "topright" }).addTo(this.map);
    if (tiles && this.lonlat) L.tileLayer(tiles, { maxZoom: 21 }).addTo(this.map);
    this.hasTiles = Boolean(tiles) && this.lonlat;
    this.fit(this.first);
    this.layers = [];
    this.map.on("move zoom resize viewreset", () => this.spoil());
    requestAnimationFrame((now) => this.paint(now));
    this.times = [];
  }

  fit([west, south, east, north]) {
    this.map.invalidateSize({ animate: false });
    this.map.fitBounds(
      [
        [south, west],
        [north, east],
      ],
      { animate: false, paddingTopLeft: [16, 20], paddingBottomRight: [16, this.map.getSize().x < 500 ? 66 : 52] },
    );
  }

  /** Bring places into sight if they are not, and nearer if they are too small to be seen. */
  reveal(places) {
    if (!places.length) return;
    const box = L.latLngBounds(places.map(([x, y]) => [y, x]));
    const [a, b] = [
      this.map.latLngToContainerPoint(box.getNorthWest()),
      this.map.latLngToContainerPoint(box.getSouthEast()),
    ];
    const small = Math.max(b.x - a.x, b.y - a.y) < SMALL;
    if (!small && this.map.getBounds().contains(box)) return;
    this.map.fitBounds(box.pad(small ? 2.5 : 0.4), { animate: false, maxZoom: this.map.getZoom() + MOST_NEARER });
  }

  /** Add a canvas; `draw(ctx, frame, now)` returns whether it must be drawn again for the next picture. */
  layer(name, draw) {
    const canvas = document.createElement("canvas");
    canvas.className = `layer layer-${name}`;
    canvas.setAttribute("aria-hidden", "true");
    this.map.getContainer().append(canvas);
    const layer = { canvas, ctx: canvas.getContext("2d"), draw, stale: true };
    this.layers.push(layer);
    return () => (layer.stale = true);
  }

  spoil() {
    for (const layer of this.layers) layer.stale = true;
  }

  /** Where the plane lies in the picture of now: a point (u, v) is at (u * scale + left, v * scale + top). */
  frame() {
    const size = this.map.getSize();
    const scale = this.lonlat ? 2 ** this.map.getZoom() : this.map.options.crs.scale(this.map.getZoom());
    const corner = this.map.getPixelBounds().min;
    return { scale, left: -corner.x, top: -corner.y, width: size.x, height: size.y };
  }

  paint(now) {
    requestAnimationFrame((next) => this.paint(next));
    if (!this.layers.some((layer) => layer.stale) || document.hidden) return;
    const began = performance.now();
    const frame = this.frame();
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const layer of this.layers) {
      if (!layer.stale) continue;
      const { canvas, ctx } = layer;
      if (canvas.width !== Math.round(frame.width * ratio) || canvas.height !== Math.round(frame.height * ratio)) {
        canvas.width = Math.round(frame.width * ratio);
        canvas.height = Math.round(frame.height * ratio);
        canvas.style.width = `${frame.width}px`;
        canvas.style.height = `${frame.height}px`;
      }
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, frame.width, frame.height);
      layer.stale = layer.draw(ctx, frame, now) === true;
    }
    this.times.push(performance.now() - began);
    if (this.times.length > 600) this.times.shift();
  }

  /** Coordinates of a place in the picture. */
  at({ x, y }) {
    const { lat, lng } = this.map.containerPointToLatLng([x, y]);
    return [lng, lat];
  }

  /** A place in the picture of coordinates. */
  point([x, y], frame = this.frame()) {
    return [this.plane.u(x, y) * frame.scale + frame.left, this.plane.v(x, y) * frame.scale + frame.top];
  }

  /** The middle of the picture and a box around it, in whole numbers where these are enough. */
  middle() {
    const { west, south, east, north } = this.bounds;
    const [x, y, w, h] = [(west + east) / 2, (south + north) / 2, (east - west) / 12, (north - south) / 12];
    const round = (value) => Number(value.toFixed(Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.min(w, h)))))));
    const reach = this.lonlat ? Math.round(Math.min(w, h) * METRES_A_DEGREE) : round(Math.min(w, h));
    const [near, far] = [[x - w, y - h].map(round), [x + w, y + h].map(round)];
    return { x: round(x), y: round(y), reach, west: near[0], south: near[1], east: far[0], north: far[1] };
  }

  get bounds() {
    const seen = this.map.getBounds();
    return { west: seen.getWest(), south: seen.getSouth(), east: seen.getEast(), north: seen.getNorth() };
  }
}
