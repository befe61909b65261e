// Attributes that shading wants and the server does not send: creases, part of each vertex, colours, grain.
import type { PartRange } from '../protocol/frames';
import type { Part } from '../protocol/types';

/**
 * Depth of creases: how far, along the normal, a vertex lies below its smoothed neighbourhood, over `scale` metres,
 * clamped to [-1, 1]. Positive in creases (navel, armpit), negative on ridges.
 */
export function computeCavity(
  positions: Float32Array,
  normals: Int8Array,
  indices: Uint32Array,
  options: { rounds: number; scale: number },
): Float32Array {
  const count = positions.length / 3;
  const weight = new Float32Array(count);
  for (let i = 0; i < indices.length; ++i) weight[indices[i]!]! += 2;
  let smooth = new Float32Array(positions);
  let sum = new Float32Array(positions.length);
  for (let round = 0; round < options.rounds; ++round) {
    sum.fill(0);
    for (let t = 0; t < indices.length; t += 3) {
      const a = 3 * indices[t]!;
      const b = 3 * indices[t + 1]!;
      const c = 3 * indices[t + 2]!;
      for (let k = 0; k < 3; ++k) {
        const pa = smooth[a + k]!;
        const pb = smooth[b + k]!;
        const pc = smooth[c + k]!;
        sum[a + k]! += pb + pc;
        sum[b + k]! += pc + pa;
        sum[c + k]! += pa + pb;
      }
    }
    for (let v = 0; v < count; ++v) {
      const w = weight[v]!;
      for (let k = 3 * v; k < 3 * v + 3; ++k) sum[k] = w > 0 ? 0.5 * (smooth[k]! + sum[k]! / w) : smooth[k]!;
    }
    [smooth, sum] = [sum, smooth];
  }
  const cavity = new Float32Array(count);
  for (let v = 0; v < count; ++v) {
    let depth = 0;
    for (let k = 0; k < 3; ++k) depth += ((smooth[3 * v + k]! - positions[3 * v + k]!) * normals[4 * v + k]!) / 127;
    cavity[v] = Math.max(-1, Math.min(1, depth / options.scale));
  }
  return cavity;
}

/** Part number of every vertex, -1 where no part uses it. */
export function partOfVertices(vertices: number, indices: Uint32Array, ranges: readonly PartRange[]): Float32Array {
  const parts = new Float32Array(vertices).fill(-1);
  for (const { part, first, count } of ranges) {
    for (let i = first; i < first + count; ++i) parts[indices[i]!] = part;
  }
  return parts;
}

/** Unit vector along which points spread most (power iteration on their covariance), and how much it stands out (0..1). */
export function longAxis(positions: Float32Array, vertices: readonly number[]): { axis: number[]; stretch: number } {
  const mean = [0, 0, 0];
  for (const v of vertices) for (let k = 0; k < 3; ++k) mean[k]! += positions[3 * v + k]! / vertices.length;
  const c = [0, 0, 0, 0, 0, 0]; // xx yy zz xy xz yz
  for (const v of vertices) {
    const x = positions[3 * v]! - mean[0]!;
    const y = positions[3 * v + 1]! - mean[1]!;
    const z = positions[3 * v + 2]! - mean[2]!;
    c[0]! += x * x;
    c[1]! += y * y;
    c[2]! += z * z;
    c[3]! += x * y;
    c[4]! += x * z;
    c[5]! += y * z;
  }
  let axis = [0.31, 0.9, 0.3];
  let largest = 0;
  for (let round = 0; round < 16; ++round) {
    const [x, y, z] = axis as [number, number, number];
    const next = [
      c[0]! * x + c[3]! * y + c[4]! * z,
      c[3]! * x + c[1]! * y + c[5]! * z,
      c[4]! * x + c[5]! * y + c[2]! * z,
    ];
    largest = Math.hypot(next[0]!, next[1]!, next[2]!);
    if (largest === 0) break;
    axis = next.map((n) => n / largest);
  }
  const trace = c[0]! + c[1]! + c[2]!;
  return { axis, stretch: trace > 0 ? largest / trace : 0 };
}

function hash(x: number, y: number, z: number): number {
  const h = Math.imul(x, 374761393) ^ Math.imul(y, 668265263) ^ Math.imul(z, 2147483647);
  const m = Math.imul(h ^ (h >>> 13), 1274126177);
  return ((m ^ (m >>> 16)) >>> 0) / 4294967296;
}

/** Smooth noise in [0, 1), one value per unit cell. */
export function noise(x: number, y: number, z: number): number {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const ease = (t: number) => t * t * (3 - 2 * t);
  const [u, v, w] = [ease(x - i), ease(y - j), ease(z - k)];
  const mix = (a: number, b: number, t: number) => a + (b - a) * t;
  const edge = (dj: number, dk: number) => mix(hash(i, j + dj, k + dk), hash(i + 1, j + dj, k + dk), u);
  return mix(mix(edge(0, 0), edge(1, 0), v), mix(edge(0, 1), edge(1, 1), v), w);
}

/** Faint blotches of skin, as colours to multiply with: made once, so that the picture does not pay for them. */
export function computeMottle(positions: Float32Array): Uint8Array {
  const count = positions.length / 3;
  const colours = new Uint8Array(4 * count).fill(255);
  for (let v = 0; v < count; ++v) {
    const [x, y, z] = [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!];
    const blotch = 0.6 * noise(38 * x, 38 * y, 38 * z) + 0.4 * noise(120 * x, 120 * y, 120 * z);
    colours[4 * v] = 255 * (0.95 + 0.05 * blotch);
    colours[4 * v + 1] = 255 * (0.88 + 0.12 * blotch);
    colours[4 * v + 2] = 255 * (0.86 + 0.14 * blotch);
  }
  return colours;
}

export type Colour = [number, number, number];

/** A number in [0, 1) that is always the same for a name. */
export function nameHash(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return ((hash >>> 0) % 1000) / 1000;
}

function mixed(a: Colour, b: Colour, t: number): Colour {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

const FLESH: Colour = [0.5, 0.19, 0.16];
const FLESH_BRIGHT: Colour = [0.68, 0.31, 0.25];
const TENDON: Colour = [0.85, 0.78, 0.67];
const BONE: Colour = [0.87, 0.8, 0.66];
const CARTILAGE: Colour = [0.72, 0.78, 0.78];
const TISSUES: Record<string, Colour> = {
  fat: [0.95, 0.78, 0.36],
  muscle: [0.62, 0.17, 0.14],
  tendon: TENDON,
  bone: BONE,
  skin: [0.84, 0.6, 0.48],
  generic: [0.72, 0.5, 0.46],
  envelope: [0.7, 0.32, 0.26],
};

export function baseColour(part: Part): Colour {
  const hash = nameHash(part.name.replace(/_[lr]$/, ''));
  if (part.kind === 'cartilage' || part.name.includes('cartilage') || part.name.startsWith('disc_')) return CARTILAGE;
  if (part.kind === 'bone') return mixed(BONE, [0.93, 0.88, 0.78], hash);
  if (part.kind === 'muscle') return mixed(FLESH, FLESH_BRIGHT, hash);
  return TISSUES[part.kind] ?? TISSUES[part.name] ?? mixed([0.55, 0.6, 0.66], [0.75, 0.75, 0.72], hash);
}

export interface PartLook {
  colours: Uint8Array;
  grain: Float32Array;
}

/** Colours of parts (muscles pale towards their ends, where tendon begins) and coordinates drawn out along their fibres. */
export function computePartLook(
  positions: Float32Array,
  indices: Uint32Array,
  ranges: readonly PartRange[],
  parts: readonly Part[],
  fallback: Colour,
): PartLook {
  const count = positions.length / 3;
  const colours = new Uint8Array(4 * count).fill(255);
  const grain = new Float32Array(positions);
  const put = (v: number, colour: Colour) => {
    // Vertex colours are linear in three.js; the table above is as seen on a screen.
    for (let k = 0; k < 3; ++k) colours[4 * v + k] = Math.round(255 * Math.pow(colour[k]!, 2.2));
  };
  for (let v = 0; v < count; ++v) put(v, fallback);
  for (const range of ranges) {
    const part = parts[range.part];
    if (!part) continue;
    const members = [...new Set(indices.subarray(range.first, range.first + range.count))];
    const colour = baseColour(part);
    if (part.kind !== 'muscle') {
      members.forEach((v) => put(v, colour));
      continue;
    }
    const { axis, stretch } = longAxis(positions, members);
    const along = members.map(
      (v) => positions[3 * v]! * axis[0]! + positions[3 * v + 1]! * axis[1]! + positions[3 * v + 2]! * axis[2]!,
    );
    let low = Infinity;
    let high = -Infinity;
    for (const s of along) {
      low = Math.min(low, s);
      high = Math.max(high, s);
    }
    // Flat, wide muscles have no tendon at the ends of their longest direction.
    const tendonShare = stretch > 0.8 ? 0.17 : 0.03;
    members.forEach((v, i) => {
      const t = high > low ? (along[i]! - low) / (high - low) : 0.5;
      const toEnd = Math.min(t, 1 - t) / tendonShare;
      const pale = Math.max(0, 1 - toEnd);
      put(v, mixed(colour, TENDON, 0.85 * pale * pale * (3 - 2 * pale)));
      for (let k = 0; k < 3; ++k) grain[3 * v + k] = positions[3 * v + k]! - 0.93 * along[i]! * axis[k]!;
    });
  }
  return { colours, grain };
}
