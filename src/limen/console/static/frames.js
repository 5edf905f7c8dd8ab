// What comes as bytes: where streams are, how many are in queries, roads. See wire.py, which writes it.

export const POSITIONS = 1,
  COUNTS = 2,
  ROADS = 3;
const HEAD = 24;

export function read(buffer) {
  const view = new DataView(buffer);
  const kind = view.getUint8(0);
  const length = view.getUint32(4, true);
  const origin = [view.getFloat64(8, true), view.getFloat64(16, true)];
  if (kind === POSITIONS) {
    const slots = new Uint32Array(buffer, HEAD, length);
    const x = new Float32Array(buffer, HEAD + 4 * length, length);
    const y = new Float32Array(buffer, HEAD + 8 * length, length);
    return { kind, slots, x, y, origin };
  }
  if (kind === COUNTS) {
    return {
      kind,
      slots: new Uint32Array(buffer, HEAD, length),
      inside: new Uint32Array(buffer, HEAD + 4 * length, length),
    };
  }
  const ends = new Float32Array(buffer, HEAD, 4 * length);
  return { kind, ends, rank: new Uint8Array(buffer, HEAD + 16 * length, length), origin };
}
