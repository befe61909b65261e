// A body of tubes for tests of the page: enough anatomy to grow, bend, measure and pick, and nothing to learn from.
import type { Catalogue, Measures, Vec3 } from '../src/protocol/types';

export interface Mesh {
  positions: Float32Array;
  normals: Int8Array;
  indices: Uint32Array;
  parts: { part: number; first: number; count: number }[];
}

export interface Inputs {
  edits: Record<string, number | boolean>;
  paint: Float32Array;
  paintAmount: number;
  /** Degrees about the joints' first axis. */
  pose: Record<string, number[]>;
  activations: Record<string, number>;
  lift: number;
}

interface Tube {
  name: string;
  from: string;
  to: string;
  radii: [number, number, number];
  depth: number;
  groups: string[];
  regions: string[];
}

const RINGS = 22;
const SECTORS = 24;

const SIDED_TUBES: Tube[] = [
  { name: 'upper_arm', from: 'shoulder', to: 'elbow', radii: [0.05, 0.048, 0.04], depth: 1.05, groups: ['biceps', 'triceps'], regions: ['arms'] },
  { name: 'forearm', from: 'elbow', to: 'wrist', radii: [0.042, 0.038, 0.026], depth: 1, groups: ['forearms'], regions: ['arms'] },
  { name: 'hand', from: 'wrist', to: 'fingers', radii: [0.026, 0.034, 0.012], depth: 0.55, groups: [], regions: [] },
  { name: 'thigh', from: 'hip', to: 'knee', radii: [0.092, 0.08, 0.055], depth: 1.05, groups: ['quadriceps', 'hamstrings'], regions: ['legs', 'hips'] },
  { name: 'shin', from: 'knee', to: 'ankle', radii: [0.054, 0.055, 0.034], depth: 1.08, groups: ['calves'], regions: ['legs'] },
  { name: 'foot', from: 'heel', to: 'toes', radii: [0.036, 0.042, 0.03], depth: 0.7, groups: [], regions: [] },
];
const MIDDLE_TUBES: Tube[] = [
  { name: 'torso', from: 'pelvis', to: 'neck', radii: [0.165, 0.145, 0.12], depth: 0.66, groups: ['chest', 'back', 'abdomen', 'shoulders', 'glutes'], regions: ['belly', 'chest', 'back', 'hips'] },
  { name: 'throat', from: 'neck', to: 'head', radii: [0.062, 0.056, 0.056], depth: 1, groups: ['neck'], regions: ['face'] },
  { name: 'skull', from: 'chin', to: 'crown', radii: [0.06, 0.078, 0.06], depth: 1.2, groups: [], regions: ['face'] },
];

const GROUPS = ['chest', 'back', 'shoulders', 'biceps', 'triceps', 'forearms', 'abdomen', 'glutes', 'quadriceps', 'hamstrings', 'calves', 'neck'];
const REGIONS = ['uniform', 'belly', 'hips', 'chest', 'back', 'arms', 'legs', 'face'];
const BONES = ['upper_arm', 'forearm', 'thigh', 'shin', 'trunk', 'neck', 'head'];

function label(name: string): string {
  const side = name.endsWith('_l') ? ', left' : name.endsWith('_r') ? ', right' : '';
  const stem = name.replace(/_[lr]$/, '').replace(/_/g, ' ');
  return stem.charAt(0).toUpperCase() + stem.slice(1) + side;
}

function tubes(): (Tube & { side: string })[] {
  const sided = ['_l', '_r'].flatMap((side) => SIDED_TUBES.map((t) => ({ ...t, side })));
  return [...sided, ...MIDDLE_TUBES.map((t) => ({ ...t, side: '' }))];
}
const TUBES = tubes();

function value(edits: Inputs['edits'], kind: string, name: string, side: string): number {
  const v = edits[`${kind}:${name}${side}`] ?? edits[`${kind}:${name}`] ?? (kind === 'muscle' ? edits['muscle:all'] : undefined);
  return typeof v === 'number' ? v : 1;
}

type Places = Record<string, Vec3>;

/** Where the joints are, with bones of the edited lengths. */
export function jointPlaces(edits: Inputs['edits']): Places {
  const places: Places = {};
  const length = (bone: string, side: string, rest: number) => rest * value(edits, 'bone', bone, side);
  const legs = (length('thigh', '_l', 0.4) + length('shin', '_l', 0.38) + length('thigh', '_r', 0.4) + length('shin', '_r', 0.38)) / 2;
  const hipY = 0.08 + legs;
  const neckY = hipY + length('trunk', '', 0.53);
  places.pelvis = [0, hipY - 0.02, 0];
  places.neck = [0, neckY, 0];
  places.head = [0, neckY + length('neck', '', 0.11), 0.01];
  places.chin = [0, places.head[1] - 0.02, 0.02];
  places.crown = [0, places.head[1] + length('head', '', 0.22), 0.015];
  for (const [side, s] of [['_l', 1], ['_r', -1]] as const) {
    const kneeY = hipY - length('thigh', side, 0.4);
    const ankleY = kneeY - length('shin', side, 0.38);
    const elbow = length('upper_arm', side, 0.29);
    const wrist = length('forearm', side, 0.25);
    const shoulder: Vec3 = [0.17 * s, neckY - 0.06, 0];
    const along = (from: Vec3, d: number): Vec3 => [from[0] + 0.42 * s * d, from[1] - 0.905 * d, from[2] + 0.06 * d];
    places[`hip${side}`] = [0.09 * s, hipY, 0];
    places[`knee${side}`] = [0.1 * s, kneeY, 0.01];
    places[`ankle${side}`] = [0.105 * s, ankleY, -0.01];
    places[`heel${side}`] = [0.105 * s, ankleY - 0.045, -0.04];
    places[`toes${side}`] = [0.125 * s, ankleY - 0.055, 0.15];
    places[`shoulder${side}`] = shoulder;
    places[`elbow${side}`] = along(shoulder, elbow);
    places[`wrist${side}`] = along(shoulder, elbow + wrist);
    places[`fingers${side}`] = along(shoulder, elbow + wrist + 0.17);
  }
  const rest = 1.745;
  const stature = edits.stature;
  if (typeof stature === 'number') {
    const tall = places.crown[1];
    for (const place of Object.values(places)) for (let k = 0; k < 3; ++k) place[k]! *= stature / tall;
  } else if (places.crown[1] === 0) {
    places.crown[1] = rest;
  }
  return places;
}

const CHAINS: Record<string, string[]> = {
  shoulder: ['shoulder', 'elbow', 'wrist', 'fingers'],
  elbow: ['elbow', 'wrist', 'fingers'],
  hip: ['hip', 'knee', 'ankle', 'heel', 'toes'],
  knee: ['knee', 'ankle', 'heel', 'toes'],
};

function bend(places: Places, pose: Inputs['pose'], lift: number): void {
  for (const [name, angles] of Object.entries(pose)) {
    const stem = name.replace(/_[lr]$/, '');
    const side = name.slice(stem.length);
    const centre = [...(places[name] ?? [0, 0, 0])] as Vec3;
    const angle = ((angles[0] ?? 0) * Math.PI) / 180;
    for (const member of CHAINS[stem] ?? []) {
      const p = places[`${member}${side}`]!;
      const [y, z] = [p[1] - centre[1], p[2] - centre[2]];
      p[1] = centre[1] + y * Math.cos(angle) + z * Math.sin(angle);
      p[2] = centre[2] - y * Math.sin(angle) + z * Math.cos(angle);
    }
  }
  for (const p of Object.values(places)) p[1] += lift;
}

/** Volume factors of a tube: [muscle, fat]. */
function growthOf(tube: Tube & { side: string }, inputs: Inputs): number {
  const muscle = tube.groups.map((g) => value(inputs.edits, 'muscle', g, tube.side));
  const bulge = tube.groups.map((g) => inputs.activations[`${g}${tube.side}`] ?? inputs.activations[g] ?? 0);
  const fat = [...tube.regions, 'uniform'].map((r) => value(inputs.edits, 'fat', r, ''));
  const gain = (xs: number[], by: number) => xs.reduce((sum, x) => sum + by * (x - 1), 0);
  return 1 + gain(muscle, 0.55 / Math.max(1, tube.groups.length)) + gain(fat, 0.13) + 0.12 * Math.max(0, ...bulge);
}

interface Shape {
  from: Vec3;
  to: Vec3;
  radius(t: number): number;
  depth: number;
}

function addTube(shape: Shape, positions: number[], normals: number[], indices: number[], swell: (vertex: number, t: number) => number): void {
  const axis = [0, 1, 2].map((k) => shape.to[k]! - shape.from[k]!);
  const length = Math.hypot(...axis);
  const d = axis.map((a) => a / length) as Vec3;
  const helper: Vec3 = Math.abs(d[2]) > 0.8 ? [0, 1, 0] : [0, 0, 1];
  const u = cross(d, helper);
  const un = Math.hypot(...u);
  const side = u.map((x) => x / un) as Vec3;
  const front = cross(side, d);
  const base = positions.length / 3;
  for (let ring = 0; ring < RINGS; ++ring) {
    const t = ring / (RINGS - 1);
    const round = Math.sqrt(Math.max(0.0004, 1 - (2 * t - 1) ** 8));
    for (let sector = 0; sector < SECTORS; ++sector) {
      const angle = (2 * Math.PI * sector) / SECTORS;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const r = shape.radius(t) * round * swell(positions.length / 3, t);
      const cap = (2 * t - 1) ** 7 * 0.9;
      const n = [0, 1, 2].map((k) => c * side[k]! + s * front[k]! + cap * d[k]!);
      const norm = Math.hypot(...n);
      for (let k = 0; k < 3; ++k) {
        positions.push(shape.from[k]! + axis[k]! * t + r * (c * side[k]! + shape.depth * s * front[k]!));
        normals.push(Math.round((127 * n[k]!) / norm));
      }
      normals.push(0);
    }
  }
  for (let ring = 0; ring + 1 < RINGS; ++ring) {
    for (let sector = 0; sector < SECTORS; ++sector) {
      const a = base + ring * SECTORS + sector;
      const b = base + ring * SECTORS + ((sector + 1) % SECTORS);
      indices.push(a, a + SECTORS, b, b, a + SECTORS, b + SECTORS);
    }
  }
}

function cross(a: readonly number[], b: readonly number[]): Vec3 {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}

function placesOf(inputs: Inputs): Places {
  const places = jointPlaces(inputs.edits);
  bend(places, inputs.pose, inputs.lift);
  return places;
}

function meshOf(build: (p: number[], n: number[], i: number[], parts: Mesh['parts']) => void): Mesh {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  const parts: Mesh['parts'] = [];
  build(positions, normals, indices, parts);
  return { positions: new Float32Array(positions), normals: new Int8Array(normals), indices: new Uint32Array(indices), parts };
}

function radiusOf(tube: Tube): (t: number) => number {
  const [a, b, c] = tube.radii;
  return (t) => (1 - t) * (1 - t) * a + 2 * t * (1 - t) * (2 * b - (a + c) / 2) + t * t * c;
}

export function skinMesh(inputs: Inputs): Mesh {
  const places = placesOf(inputs);
  return meshOf((p, n, i) => {
    for (const tube of TUBES) {
      const growth = Math.sqrt(Math.max(0.2, growthOf(tube, inputs)));
      const shape = { from: places[tube.from + tube.side]!, to: places[tube.to + tube.side]!, radius: radiusOf(tube), depth: tube.depth };
      addTube(shape, p, n, i, (vertex, t) => {
        const belly = Math.sin(Math.PI * Math.min(1, Math.max(0, t)));
        const painted = (inputs.paint[vertex] ?? 0) * (inputs.paintAmount - 1) * 0.3;
        return 1 + (growth - 1) * (0.4 + 0.6 * belly) + painted;
      });
    }
  });
}

export const SKIN_VERTICES = TUBES.length * RINGS * SECTORS;

/** Two bellies in every limb, and groups spread over the trunk. */
function muscleSpecs(): { name: string; group: string; side: 'l' | 'r' | ''; tube: Tube & { side: string }; offset: number; along: [number, number] }[] {
  const specs: ReturnType<typeof muscleSpecs> = [];
  for (const tube of TUBES) {
    tube.groups.forEach((group, i) => {
      const count = tube.groups.length;
      const along: [number, number] = tube.name === 'torso' ? [i / count, (i + 1) / count] : [0.05, 0.95];
      const side = tube.side.slice(1) as 'l' | 'r' | '';
      const offset = count === 2 ? (i === 0 ? 0.4 : -0.4) : 0;
      specs.push({ name: `${group}_muscle${tube.side}`, group, side, tube, offset, along });
    });
  }
  return specs;
}
const MUSCLES = muscleSpecs();

export function muscleMesh(inputs: Inputs): Mesh {
  const places = placesOf(inputs);
  return meshOf((p, n, i, parts) => {
    MUSCLES.forEach((muscle, number) => {
      const first = i.length;
      const { tube } = muscle;
      const [from, to] = [places[tube.from + tube.side]!, places[tube.to + tube.side]!];
      const shift = muscle.offset * tube.radii[1];
      const at = (t: number): Vec3 => [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, from[2] + (to[2] - from[2]) * t + shift];
      const scale = Math.sqrt(value(inputs.edits, 'muscle', muscle.group, tube.side));
      const own = value(inputs.edits, 'muscle', muscle.name.replace(/_[lr]$/, ''), tube.side);
      const radius = (t: number) => radiusOf(tube)(t) * (muscle.offset === 0 ? 0.85 : 0.5) * scale * Math.sqrt(own);
      addTube({ from: at(muscle.along[0]), to: at(muscle.along[1]), radius, depth: tube.depth }, p, n, i, () => 1);
      parts.push({ part: number, first, count: i.length - first });
    });
  });
}

export function boneMesh(inputs: Inputs): Mesh {
  const places = placesOf(inputs);
  return meshOf((p, n, i, parts) => {
    TUBES.forEach((tube, number) => {
      const first = i.length;
      const shape = { from: places[tube.from + tube.side]!, to: places[tube.to + tube.side]!, radius: () => (tube.name === 'skull' ? 0.06 : 0.014), depth: 1 };
      addTube(shape, p, n, i, () => 1);
      parts.push({ part: MUSCLES.length + number, first, count: i.length - first });
    });
  });
}

function girth(tubeName: string, side: string, inputs: Inputs): number {
  const tube = TUBES.find((t) => t.name === tubeName && t.side === side)!;
  return 2 * Math.PI * tube.radii[1] * Math.sqrt(tube.depth) * Math.sqrt(Math.max(0.2, growthOf(tube, inputs)));
}

/** Volume inside the skin by the divergence theorem, in litres. */
export function volume(mesh: Mesh): number {
  let sum = 0;
  const p = mesh.positions;
  for (let t = 0; t < mesh.indices.length; t += 3) {
    const [a, b, c] = [3 * mesh.indices[t]!, 3 * mesh.indices[t + 1]!, 3 * mesh.indices[t + 2]!];
    sum += p[a]! * (p[b + 1]! * p[c + 2]! - p[b + 2]! * p[c + 1]!) + p[a + 1]! * (p[b + 2]! * p[c]! - p[b]! * p[c + 2]!) + p[a + 2]! * (p[b]! * p[c + 1]! - p[b + 1]! * p[c]!);
  }
  return (1000 * Math.abs(sum)) / 6;
}

export function measure(inputs: Inputs): Measures {
  const skin = skinMesh({ ...inputs, pose: {}, lift: 0 });
  const litres = volume(skin);
  const fat = REGIONS.map((r) => value(inputs.edits, 'fat', r, '') - 1).reduce((a, b) => a + b, 0);
  const painted = inputs.paint.reduce((a, b) => a + b, 0) / SKIN_VERTICES;
  const bodyFat = typeof inputs.edits.body_fat === 'number' ? inputs.edits.body_fat : Math.min(0.5, Math.max(0.05, 0.18 + 0.02 * fat + 0.3 * painted * (inputs.paintAmount - 1)));
  const girths: Measures['girths'] = { neck: girth('throat', '', inputs), chest: girth('torso', '', inputs), waist: 0.9 * girth('torso', '', inputs), hips: 1.02 * girth('torso', '', inputs) };
  for (const side of ['_l', '_r']) {
    girths[`upper_arm${side}`] = girth('upper_arm', side, inputs);
    girths[`thigh${side}`] = girth('thigh', side, inputs);
    girths[`calf${side}`] = girth('shin', side, inputs);
  }
  const muscles = Object.fromEntries(
    MUSCLES.map((m) => {
      const own = inputs.edits[`muscle:${m.name}`] ?? inputs.edits[`muscle:${m.name.replace(/_[lr]$/, '')}`];
      const grown = typeof own === 'number' ? own : value(inputs.edits, 'muscle', m.group, m.tube.side);
      return [m.name, 150 * grown * grown];
    }),
  );
  return { stature_m: jointPlaces(inputs.edits).crown![1], mass_kg: litres * 1.02, body_fat: bodyFat, volume_l: litres, girths, muscles };
}

export function makeCatalogue(): Catalogue {
  const places = jointPlaces({});
  const joints = ['shoulder', 'elbow', 'wrist', 'hip', 'knee', 'ankle'].flatMap((stem) => ['_l', '_r'].map((side) => stem + side));
  return {
    muscles: MUSCLES.map((m) => ({ name: m.name, label: label(m.name), group: m.group, side: m.side, volume_ml: 150, force_n: 420 })),
    groups: GROUPS.map((name) => ({ name, label: label(name) })),
    regions: REGIONS.map((name) => ({ name, label: name === 'uniform' ? 'Everywhere' : label(name) })),
    bones: BONES.map((name) => ({ name, label: label(name) })),
    joints: joints.map((name) => ({ name, label: label(name), position: places[name]!, axes: [[1, 0, 0]], limits_deg: [[-40, 130]], parent: null })),
    recipes: [
      { name: 'bodybuilder', description: 'Large everywhere, larger where it is judged' },
      { name: 'android', description: 'Fat at the belly, thin limbs' },
    ],
    motions: ['wave', 'walk'],
    ranges: { muscle: [0.5, 2], fat: [0.35, 3], bone: [0.7, 1.4], stature: [1.4, 2.1], weight: [45, 150], body_fat: [0.05, 0.5] },
    parts: [
      ...MUSCLES.map((m) => ({ mesh: 1, name: m.name, kind: 'muscle', group: m.group })),
      ...TUBES.map((t) => ({ mesh: 2, name: `bone_${t.name}${t.side}`, kind: 'bone', group: '' })),
    ],
  };
}
