// The meshes of the body as three.js objects, made and moved by frames.
import * as THREE from 'three';
import { FLAG_BEFORE, FrameKind, type Frame, type LinesFrame, type MeshFrame, type MotionFrame, type PartRange } from '../protocol/frames';
import { MESH, type Part } from '../protocol/types';
import {
  makeBoneMaterial,
  makeFacetMaterial,
  makeMuscleMaterial,
  makePlainSkinMaterial,
  makeSharedUniforms,
  makeSkinMaterial,
} from './materials';
import { computeCavity, computeMottle, computePartLook, partOfVertices, type Colour } from './surface_attributes';

export interface Layer {
  mesh: number;
  object: THREE.Mesh | THREE.LineSegments;
  ranges: PartRange[];
  revision: number;
}

const FALLBACK: Record<number, Colour> = {
  [MESH.muscles]: [0.55, 0.15, 0.12],
  [MESH.bones]: [0.87, 0.8, 0.66],
  [MESH.envelope]: [0.68, 0.3, 0.25],
  [MESH.tets]: [0.7, 0.55, 0.5],
};
const BESIDE_COLOUR: Colour = [0.55, 0.65, 0.75];
const CREASE_DELAY_MS = 250;

// Skin is drawn after what is inside it: first its depth alone, then its colour, so that a faded skin shows one layer only.
const ORDER = { inside: 0, skinDepth: 10, skin: 11 };

export class BodyLayers {
  readonly root = new THREE.Group();
  readonly shared = makeSharedUniforms();
  private readonly layers = new Map<number, Layer>();
  private readonly skinMaterial = makeSkinMaterial(this.shared);
  /** Kept for its shader, which the skin takes when it fades. */
  private readonly fadedSkin = makeSkinMaterial(this.shared);
  private readonly plainSkin = makePlainSkinMaterial();
  private readonly skinDepth = new THREE.MeshBasicMaterial({ colorWrite: false });
  private readonly muscleMaterial = makeMuscleMaterial(this.shared);
  private readonly boneMaterial = makeBoneMaterial(this.shared);
  private readonly facetMaterial = makeFacetMaterial(this.shared);
  private readonly wireMaterial = new THREE.MeshBasicMaterial({ color: 0x000000, wireframe: true, transparent: true, opacity: 0.12 });
  private readonly lineMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private parts: readonly Part[] = [];
  private creaseTimers = new Map<number, ReturnType<typeof setTimeout>>();
  /** Copies before edits, kept as they came until somebody compares. */
  private readonly stashed = new Map<number, MeshFrame>();
  private wantsBefore = false;
  /** The skin of the first picture; its good material is still being compiled. */
  private isPlain = true;
  /** Told when a crease map was made after its frame. */
  onLateChange: () => void = () => {};

  /** What the first picture is drawn with, for the compiler. */
  plainExample(): THREE.Object3D {
    return new THREE.Mesh(exampleGeometry(), this.plainSkin);
  }
  skinExample(): THREE.Object3D {
    this.skinMaterial.transparent = false;
    return new THREE.Mesh(exampleGeometry(), this.skinMaterial);
  }
  /** The skin when it fades (another shader than when it is opaque), and what it then shows. */
  insideExamples(): THREE.Object3D {
    const geometry = exampleGeometry();
    const group = new THREE.Group();
    for (const material of [this.fadedSkin, this.skinDepth, this.muscleMaterial, this.boneMaterial]) group.add(new THREE.Mesh(geometry, material));
    return group;
  }

  /** The good materials are ready. */
  wearGood(): void {
    this.isPlain = false;
    for (const layer of this.layers.values()) {
      if (layer.mesh % MESH.before === MESH.skin) (layer.object as THREE.Mesh).material = this.skinMaterial;
    }
  }

  /** Creases are still to be drawn anew. */
  get isRefreshing(): boolean {
    return this.creaseTimers.size > 0;
  }

  setParts(parts: readonly Part[]): void {
    this.parts = parts;
  }
  part(number: number): Part | undefined {
    return this.parts[number];
  }

  get(mesh: number): Layer | undefined {
    return this.layers.get(mesh);
  }

  all(): IterableIterator<Layer> {
    return this.layers.values();
  }

  /** Forgets everything but the skin. */
  clear(): void {
    for (const mesh of [...this.layers.keys()]) if (mesh !== MESH.skin) this.remove(mesh);
    this.stashed.clear();
  }

  setWantsBefore(wants: boolean): void {
    this.wantsBefore = wants;
    if (!wants) return;
    for (const [mesh, frame] of this.stashed) this.setMesh(mesh, frame);
    this.stashed.clear();
  }

  apply(frame: Frame): void {
    const mesh = frame.flags & FLAG_BEFORE && frame.mesh < MESH.before ? frame.mesh + MESH.before : frame.mesh;
    switch (frame.kind) {
      case FrameKind.Mesh:
        if (mesh >= MESH.before && !this.wantsBefore) this.stashed.set(mesh, frame);
        else this.setMesh(mesh, frame);
        break;
      case FrameKind.Motion:
        this.move(mesh, frame);
        break;
      case FrameKind.Lines:
        this.setLines(mesh, frame);
        break;
      case FrameKind.Scalars:
        this.setPaint(mesh, frame.values);
        break;
    }
  }

  /** A copy of the skin as it is, kept as the one before edits for servers that have not sent one. */
  keepAsBefore(mesh: number): void {
    const layer = this.layers.get(mesh);
    if (!layer || this.layers.has(MESH.before + mesh) || this.stashed.has(MESH.before + mesh)) return;
    this.put(MESH.before + mesh, (layer.object.geometry as THREE.BufferGeometry).clone(), layer.ranges, layer.revision);
  }

  private setMesh(mesh: number, frame: MeshFrame): void {
    const geometry = new THREE.BufferGeometry();
    const vertices = frame.positions.length / 3;
    const position = new THREE.BufferAttribute(frame.positions, 3);
    position.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', position);
    geometry.setAttribute('normal', new THREE.BufferAttribute(frame.normals, 4, true).setUsage(THREE.DynamicDrawUsage));
    geometry.setIndex(new THREE.BufferAttribute(frame.indices, 1));
    geometry.setAttribute('paint', new THREE.BufferAttribute(new Float32Array(vertices), 1).setUsage(THREE.DynamicDrawUsage));
    this.put(mesh, geometry, frame.parts, frame.revision);
  }

  /** Colours, grain and creases: made when a layer is first seen, since many are only ever clicked through. */
  dress(layer: Layer): void {
    if (this.isPlain) return;
    const geometry = layer.object.geometry as THREE.BufferGeometry;
    if (!(layer.object instanceof THREE.Mesh) || geometry.hasAttribute('cavity') || !geometry.getIndex()) return;
    const positions = geometry.getAttribute('position').array as Float32Array;
    const normals = geometry.getAttribute('normal').array as Int8Array;
    const indices = geometry.getIndex()!.array as Uint32Array;
    const kind = layer.mesh % MESH.before;
    const isSkin = kind === MESH.skin;
    const look = isSkin
      ? { colours: computeMottle(positions), grain: new Float32Array(positions.length) }
      : computePartLook(positions, indices, layer.ranges, this.parts, FALLBACK[kind] ?? BESIDE_COLOUR);
    geometry.setAttribute('part', new THREE.BufferAttribute(partOfVertices(positions.length / 3, indices, layer.ranges), 1));
    geometry.setAttribute('color', new THREE.BufferAttribute(look.colours, 4, true));
    geometry.setAttribute('grain', new THREE.BufferAttribute(look.grain, 3));
    // The first picture of the skin does not wait for its creases.
    const cavity = isSkin ? new Float32Array(positions.length / 3) : this.creases(layer.mesh, { positions, normals, indices });
    geometry.setAttribute('cavity', new THREE.BufferAttribute(cavity, 1));
    if (isSkin) this.refreshCreasesLater(layer.mesh);
  }

  private creases(mesh: number, frame: Pick<MeshFrame, 'positions' | 'normals' | 'indices'>): Float32Array {
    const kind = mesh % MESH.before;
    if (kind === MESH.skin) return computeCavity(frame.positions, frame.normals, frame.indices, { rounds: 7, scale: 0.004 });
    if (kind === MESH.tets || kind >= MESH.beside) return new Float32Array(frame.positions.length / 3);
    return computeCavity(frame.positions, frame.normals, frame.indices, { rounds: 4, scale: 0.0025 });
  }

  private put(mesh: number, geometry: THREE.BufferGeometry, ranges: PartRange[], revision: number): void {
    const isVisible = this.layers.get(mesh)?.object.visible ?? false;
    this.remove(mesh);
    const kind = mesh % MESH.before;
    const object = new THREE.Mesh(geometry, this.materialOf(kind));
    object.frustumCulled = false;
    object.castShadow = true;
    object.receiveShadow = true;
    object.visible = isVisible;
    if (kind === MESH.skin) {
      const depth = new THREE.Mesh(geometry, this.skinDepth);
      depth.renderOrder = ORDER.skinDepth;
      depth.frustumCulled = false;
      object.renderOrder = ORDER.skin;
      object.add(depth);
    } else if (kind === MESH.tets) {
      const wire = new THREE.Mesh(geometry, this.wireMaterial);
      wire.frustumCulled = false;
      object.add(wire);
    }
    this.layers.set(mesh, { mesh, object, ranges, revision });
    this.root.add(object);
  }

  private materialOf(kind: number): THREE.Material {
    if (kind === MESH.skin) return this.isPlain ? this.plainSkin : this.skinMaterial;
    if (kind === MESH.muscles || kind === MESH.envelope) return this.muscleMaterial;
    if (kind === MESH.bones) return this.boneMaterial;
    return this.facetMaterial;
  }

  private setLines(mesh: number, frame: LinesFrame): void {
    const isVisible = this.layers.get(mesh)?.object.visible ?? false;
    this.remove(mesh);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(frame.positions, 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute('color', new THREE.BufferAttribute(frame.colours, 4, true));
    geometry.setIndex(new THREE.BufferAttribute(frame.indices, 1));
    const object = new THREE.LineSegments(geometry, this.lineMaterial);
    object.frustumCulled = false;
    object.visible = isVisible;
    this.layers.set(mesh, { mesh, object, ranges: [], revision: frame.revision });
    this.root.add(object);
  }

  private move(mesh: number, frame: MotionFrame): void {
    const layer = this.layers.get(mesh);
    if (!layer) return;
    const geometry = layer.object.geometry as THREE.BufferGeometry;
    const position = geometry.getAttribute('position') as THREE.BufferAttribute;
    // A motion of a mesh that has since been replaced by another: it belongs to nobody.
    if (position.array.length !== frame.positions.length) return;
    position.array = frame.positions;
    position.needsUpdate = true;
    const normal = geometry.getAttribute('normal') as THREE.BufferAttribute | undefined;
    if (normal) {
      normal.array = frame.normals;
      normal.needsUpdate = true;
    }
    geometry.boundingSphere = null;
    geometry.boundingBox = null;
    layer.revision = frame.revision;
    if (layer.object instanceof THREE.Mesh) this.refreshCreasesLater(mesh);
  }

  // Creases cost more than a frame has time for, and change little: made again once the motion rests.
  private refreshCreasesLater(mesh: number): void {
    clearTimeout(this.creaseTimers.get(mesh));
    const timer = setTimeout(() => {
      this.creaseTimers.delete(mesh);
      const geometry = this.layers.get(mesh)?.object.geometry as THREE.BufferGeometry | undefined;
      const cavity = geometry?.getAttribute('cavity') as THREE.BufferAttribute | undefined;
      if (!geometry || !cavity) return;
      cavity.array = this.creases(mesh, {
        positions: geometry.getAttribute('position').array as Float32Array,
        normals: geometry.getAttribute('normal').array as Int8Array,
        indices: geometry.getIndex()!.array as Uint32Array,
      });
      cavity.needsUpdate = true;
      this.onLateChange();
    }, CREASE_DELAY_MS);
    this.creaseTimers.set(mesh, timer);
  }

  private setPaint(mesh: number, values: Float32Array): void {
    const paint = this.paintOf(mesh);
    if (!paint || paint.array.length !== values.length) return;
    paint.array = new Float32Array(values);
    paint.needsUpdate = true;
  }

  paintOf(mesh: number): THREE.BufferAttribute | undefined {
    const geometry = this.layers.get(mesh)?.object.geometry as THREE.BufferGeometry | undefined;
    return geometry?.getAttribute('paint') as THREE.BufferAttribute | undefined;
  }

  /** Opacity of the skin; at 0 it is not drawn at all. */
  setSkinOpacity(opacity: number): void {
    this.skinMaterial.opacity = opacity;
    // An opaque skin writes depth itself and needs no pass before it.
    this.skinMaterial.transparent = opacity < 1;
    for (const mesh of [MESH.skin, MESH.before + MESH.skin]) {
      const object = this.layers.get(mesh)?.object;
      if (!object) continue;
      object.castShadow = opacity > 0.5;
      object.children.forEach((child) => (child.visible = opacity < 1));
    }
  }

  private remove(mesh: number): void {
    const layer = this.layers.get(mesh);
    if (!layer) return;
    clearTimeout(this.creaseTimers.get(mesh));
    this.creaseTimers.delete(mesh);
    this.root.remove(layer.object);
    layer.object.geometry.dispose();
    this.layers.delete(mesh);
  }

  /** Part under a triangle of a layer. */
  partOfFace(layer: Layer, faceIndex: number): Part | undefined {
    const index = 3 * faceIndex;
    const range = layer.ranges.find((r) => index >= r.first && index < r.first + r.count);
    return range ? this.parts[range.part] : undefined;
  }
}

/** A triangle with the attributes that shaders are chosen by. */
function exampleGeometry(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(9), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(new Int8Array(12), 4, true));
  geometry.setAttribute('color', new THREE.BufferAttribute(new Uint8Array(12), 4, true));
  return geometry;
}

