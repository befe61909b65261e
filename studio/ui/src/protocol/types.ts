// What the page and the server say to each other (docs/studio-protocol.md). Units: m, kg, ml, N.

export const PROTOCOL_VERSION = 1;

export type LayerName = 'skin' | 'muscles' | 'bones' | 'envelope' | 'fibres' | 'tets';
export const LAYER_NAMES: readonly LayerName[] = ['skin', 'muscles', 'bones', 'envelope', 'fibres', 'tets'];

/** Numbers of meshes in binary frames; files opened beside the body begin at `beside`, copies before edits at `before`. */
export const MESH = { skin: 0, muscles: 1, bones: 2, envelope: 3, tets: 4, fibres: 5, beside: 16, before: 100 } as const;

export type Vec3 = [number, number, number];
export type Range = [number, number];
export type Side = 'l' | 'r' | '';

export interface Muscle {
  name: string;
  label: string;
  group: string;
  side: string;
  volume_ml: number;
  force_n: number;
}
export interface Named {
  name: string;
  label: string;
}
/** A piece of the skeleton that can be scaled; long ones have the centres of both heads. */
export interface Bone extends Named {
  position?: Vec3;
  end?: Vec3;
}
export interface Joint extends Named {
  position: Vec3;
  /** Axes of rotation as unit vectors; their number is the number of degrees of freedom. */
  axes: Vec3[];
  limits_deg: Range[];
  parent: string | null;
  /** Names of the degrees of freedom ("flexion"), where the server knows them. */
  motions?: string[];
}
export interface Recipe {
  name: string;
  description: string;
}
export interface Part {
  mesh: number;
  name: string;
  kind: string;
  group: string;
}
export interface Catalogue {
  muscles: Muscle[];
  groups: Named[];
  regions: Named[];
  bones: Bone[];
  joints: Joint[];
  recipes: Recipe[];
  motions: string[];
  ranges: Partial<Record<'muscle' | 'fat' | 'bone' | 'stature' | 'weight' | 'body_fat', Range>>;
  parts: Part[];
}

export interface Measures {
  stature_m: number;
  mass_kg: number;
  body_fat: number;
  volume_l: number;
  girths: Record<string, number>;
  muscles: Record<string, number>;
}

export type Mode = 'loading' | 'rest' | 'pose' | 'play' | 'jump' | 'contract';
export type EditValue = number | boolean | null;

export interface DocumentState {
  edits: Record<string, number | boolean>;
  painted: boolean;
  undo: number;
  redo: number;
  measures: Measures;
  before: Measures;
  resolution: string;
  revision: number;
  mode: Mode;
  warnings: string[];
  /** Where joints and the ends of bones are after edits of bones. */
  joints?: Record<string, Vec3>;
  session?: string;
}

export interface Change {
  target: string;
  value: EditValue;
}

export interface ErrorParts {
  where: string;
  found: string;
  needs: string;
  remedy: string;
}

export interface Answer {
  re: number;
  ok: boolean;
  error?: ErrorParts;
  [field: string]: unknown;
}

export interface ProgressEvent {
  event: 'progress';
  job: number | string;
  what: string;
  fraction: number | null;
  seconds_left: number | null;
  done: boolean;
}
export interface NoticeEvent {
  event: 'message';
  level: 'info' | 'warning' | 'error';
  text: string;
}
export type ServerEvent =
  | ({ event: 'state' } & DocumentState)
  | { event: 'catalogue'; catalogue: Catalogue }
  | ProgressEvent
  | NoticeEvent;

export interface Curve {
  name: string;
  label?: string;
  x: number[];
  y: number[];
}
export interface Plot {
  title: string;
  x_label: string;
  y_label: string;
  curves: Curve[];
}

export interface WorkspaceFile {
  name: string;
  size: number;
  kind: string;
}
