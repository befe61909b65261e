// The picture: layers on a stage, and what pointers do in it (orbit, pick, paint, drag handles).
import * as THREE from 'three';
import type { Frame } from '../protocol/frames';
import { MESH, type Catalogue, type LayerName, type Part, type Vec3 } from '../protocol/types';
import type { Brush } from '../model/store';
import { BodyLayers } from './body_layers';
import { applyDab, BrushRing, mirroredDab, type Dab, type PaintedVertices } from './brush';
import { Handles, handleSpecs, lengthUnderRay, type HandleSpec } from './handles';
import { NO_PART } from './materials';
import { Stage, type ViewName } from './stage';

export interface BodyViewEvents {
  onFirstPicture(): void;
  onPick(part: Part | null): void;
  onHover(part: Part | null, x: number, y: number): void;
  /** The pointer came to the picture: what can be clicked should be there. */
  onEnter(): void;
  onStroke(painted: PaintedVertices, skinVertices: number, end: boolean): void;
  /** `factor`: length of the bone over that when the drag began. */
  onHandle(handle: HandleSpec, factor: number, phase: 'start' | 'move' | 'end'): void;
}

const CLICK_REACH_PX = 5;
const HOVER_INTERVAL_MS = 60;
const OPAQUE_FADE = 0.35;

type Drag =
  | { kind: 'handle'; handle: HandleSpec; length: number }
  | { kind: 'paint'; changed: Set<number>; isScheduled: boolean };

export class BodyView {
  readonly layers = new BodyLayers();
  readonly stage: Stage;
  readonly handles = new Handles();
  private readonly ring = new BrushRing();
  private readonly raycaster = new THREE.Raycaster();
  private brush: Brush | null = null;
  private isSymmetric = true;
  private drag: Drag | null = null;
  private pressed: { x: number; y: number; time: number } | null = null;
  private lastHover = 0;
  private fade = 0;
  private inside: ReadonlySet<LayerName> = new Set(['muscles', 'bones']);
  private isFramed = false;
  private framed: THREE.Box3 | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly events: BodyViewEvents,
  ) {
    this.stage = new Stage(canvas, this.layers.root, {
      first: () => this.layers.plainExample(),
      skin: () => this.layers.skinExample(),
      inside: () => this.layers.insideExamples(),
      onFirstPicture: () => this.events.onFirstPicture(),
      onReady: () => {
        this.layers.wearGood();
        this.show();
      },
    });
    this.stage.scene.add(this.ring.object, this.handles.root);
    this.layers.onLateChange = () => this.stage.invalidate();
    // Before OrbitControls sees them: a stroke or a dragged handle must not turn the camera.
    canvas.addEventListener('pointerdown', (e) => this.pointerDown(e), { capture: true });
    canvas.addEventListener('pointermove', (e) => this.pointerMove(e));
    canvas.addEventListener('pointerup', (e) => this.pointerUp(e));
    canvas.addEventListener('pointercancel', (e) => this.pointerUp(e));
    canvas.addEventListener('pointerenter', () => this.events.onEnter());
    canvas.addEventListener('pointerleave', () => this.pointerLeave());
  }

  /** Nothing is still to be drawn, nor to be drawn better. */
  get isSettled(): boolean {
    return this.stage.isSettled && !this.layers.isRefreshing;
  }

  setCatalogue(catalogue: Catalogue): void {
    this.layers.setParts(catalogue.parts);
  }

  /** Another body: its meshes come anew. The skin stays until its successor is there, so that the picture is never empty. */
  forget(): void {
    this.layers.clear();
    this.isFramed = false;
    this.stage.invalidateShadows();
  }

  apply(frame: Frame): void {
    this.layers.apply(frame);
    if (frame.mesh === MESH.skin && !this.isFramed) this.frameBody();
    this.show();
    this.stage.invalidateShadows();
  }

  private frameBody(): void {
    const box = this.boxOf(MESH.skin);
    if (!box) return;
    this.isFramed = true;
    // The same body again: whoever has turned it meanwhile keeps the view.
    if (this.framed && isSameBox(box, this.framed)) return;
    this.framed = box;
    this.stage.setSubject(box);
    this.stage.look('three-quarter', false);
  }

  /** The whole body as it is now, from this side. */
  look(view: ViewName): void {
    const box = this.boxOf(MESH.skin);
    if (box) this.stage.setBounds(box);
    this.stage.look(view);
  }

  boxOf(mesh: number): THREE.Box3 | null {
    const geometry = this.layers.get(mesh)?.object.geometry as THREE.BufferGeometry | undefined;
    if (!geometry) return null;
    return new THREE.Box3().setFromBufferAttribute(geometry.getAttribute('position') as THREE.BufferAttribute);
  }

  setFade(fade: number): void {
    this.fade = fade;
    this.show();
    this.stage.invalidateShadows();
  }

  setInside(layers: ReadonlySet<LayerName>): void {
    this.inside = layers;
    this.show();
    this.stage.invalidateShadows();
  }

  setCompare(at: number | null): void {
    this.layers.setWantsBefore(at !== null);
    this.stage.split =
      at === null ? null : { at, showBefore: () => this.show(MESH.before), showAfter: () => this.show(0) };
    this.show();
    this.stage.invalidateShadows();
  }

  private show(offset = 0): void {
    const skinOpacity = 1 - this.fade;
    for (const layer of this.layers.all()) {
      const isBefore = layer.mesh >= MESH.before;
      const kind = layer.mesh % MESH.before;
      const name = (Object.keys(MESH) as (keyof typeof MESH)[]).find((k) => MESH[k] === kind);
      const belongs = kind >= MESH.beside || isBefore === (offset === MESH.before);
      const isWanted =
        kind === MESH.skin ? skinOpacity > 0.004 : kind >= MESH.beside || (this.fade > 0 && this.inside.has(name as LayerName));
      layer.object.visible = belongs && isWanted;
      if (layer.object.visible) this.layers.dress(layer);
    }
    this.layers.setSkinOpacity(skinOpacity);
  }

  setSelected(partName: string | null): void {
    this.layers.shared.uSelected.value = partName === null ? NO_PART : this.partNumber(partName);
    this.stage.invalidate();
  }

  private partNumber(name: string): number {
    for (let i = 0; ; ++i) {
      const part = this.layers.part(i);
      if (!part) return NO_PART;
      if (part.name === name && part.mesh === MESH.muscles) return i;
    }
  }

  /** Brings a part to the middle of the picture. */
  focusPart(name: string): void {
    const number = this.partNumber(name);
    const layer = this.layers.get(MESH.muscles);
    const range = layer?.ranges.find((r) => r.part === number);
    if (!layer || !range) return;
    const geometry = layer.object.geometry as THREE.BufferGeometry;
    const positions = geometry.getAttribute('position');
    const indices = geometry.getIndex()!;
    const box = new THREE.Box3();
    const p = new THREE.Vector3();
    for (let i = range.first; i < range.first + range.count; ++i) {
      box.expandByPoint(p.fromBufferAttribute(positions, indices.getX(i)));
    }
    this.stage.focus(box);
  }

  setBrush(brush: Brush | null, isSymmetric: boolean): void {
    this.brush = brush;
    this.isSymmetric = isSymmetric;
    if (!brush) this.ring.hide();
    this.stage.invalidate();
  }

  setShowsPaint(isShown: boolean): void {
    this.layers.shared.uShowPaint.value = isShown ? 1 : 0;
    this.stage.invalidate();
  }

  setHandles(catalogue: Catalogue | null, positions: Record<string, Vec3> | undefined): void {
    this.handles.root.visible = catalogue !== null;
    if (catalogue && this.drag?.kind !== 'handle') {
      const box = this.boxOf(MESH.skin);
      const crown = box ? new THREE.Vector3(0, box.max.y + 0.05, (box.min.z + box.max.z) / 2) : null;
      this.handles.set(handleSpecs(catalogue, positions, crown));
    }
    this.stage.invalidate();
  }

  private aim(event: PointerEvent): { x: number; y: number; width: number; height: number } {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const pointer = new THREE.Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height);
    this.raycaster.setFromCamera(pointer, this.stage.camera);
    return { x, y, width: box.width, height: box.height };
  }

  private hit(mesh: number): THREE.Intersection | undefined {
    const layer = this.layers.get(mesh);
    if (!(layer?.object instanceof THREE.Mesh)) return undefined;
    return this.raycaster.intersectObject(layer.object, false)[0];
  }

  /** The muscle under the pointer; through an opaque skin too. Bones only where they are seen. */
  private partUnderPointer(): Part | null {
    const candidates: { part: Part; distance: number }[] = [];
    const meshes = this.fade > OPAQUE_FADE && this.inside.has('bones') ? [MESH.muscles, MESH.bones] : [MESH.muscles];
    for (const mesh of meshes) {
      if (mesh === MESH.muscles && this.fade > OPAQUE_FADE && !this.inside.has('muscles')) continue;
      const hit = this.hit(mesh);
      const layer = this.layers.get(mesh);
      if (!hit || !layer || hit.faceIndex == null) continue;
      const part = this.layers.partOfFace(layer, hit.faceIndex);
      if (part) candidates.push({ part, distance: hit.distance });
    }
    candidates.sort((a, b) => a.distance - b.distance);
    return candidates[0]?.part ?? null;
  }

  private dabUnderPointer(): Dab | null {
    if (!this.brush) return null;
    const hit = this.hit(MESH.skin);
    if (!hit?.face) return null;
    const amount = 0.35 * this.brush.strength * (this.brush.erases ? -1 : 1);
    return { centre: hit.point, normal: hit.face.normal.clone().normalize(), radius: this.brush.radius_m, amount };
  }

  private pointerDown(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return;
    const { x, y, width, height } = this.aim(event);
    this.pressed = { x, y, time: performance.now() };
    const handle = this.handles.find(x, y, this.stage.camera, width, height, event.pointerType === 'touch' ? 26 : 16);
    if (handle) {
      this.begin(event, { kind: 'handle', handle, length: handle.at.distanceTo(handle.from) });
      this.events.onHandle(handle, 1, 'start');
      return;
    }
    if (this.brush && this.dabUnderPointer()) {
      this.begin(event, { kind: 'paint', changed: new Set(), isScheduled: false });
      this.dab();
    }
  }

  private begin(event: PointerEvent, drag: Drag): void {
    this.drag = drag;
    this.stage.controls.enabled = false;
    // The drag may end outside the picture; synthetic pointers cannot be captured, which does no harm.
    try {
      this.canvas.setPointerCapture(event.pointerId);
    } catch {
      /* not a pointer of the system */
    }
    event.stopImmediatePropagation();
  }

  private pointerMove(event: PointerEvent): void {
    const { x, y } = this.aim(event);
    if (this.drag?.kind === 'handle') {
      this.events.onHandle(this.drag.handle, this.handleFactor(this.drag), 'move');
      return;
    }
    if (this.brush) {
      const dab = this.dabUnderPointer();
      if (dab) this.ring.show(dab);
      else this.ring.hide();
      this.stage.invalidate();
      if (this.drag?.kind === 'paint') this.dab();
      return;
    }
    const now = performance.now();
    if (event.buttons !== 0 || now - this.lastHover < HOVER_INTERVAL_MS || this.fade <= OPAQUE_FADE) return;
    this.lastHover = now;
    const part = this.partUnderPointer();
    this.layers.shared.uHovered.value = part?.kind === 'muscle' ? this.partNumber(part.name) : NO_PART;
    this.events.onHover(part, x, y);
    this.stage.invalidate();
  }

  private handleFactor(drag: Extract<Drag, { kind: 'handle' }>): number {
    return Math.max(0.1, lengthUnderRay(drag.handle.from, drag.handle.at, this.raycaster.ray) / drag.length);
  }

  private dab(): void {
    const drag = this.drag;
    const dab = this.dabUnderPointer();
    const paint = this.layers.paintOf(MESH.skin);
    const geometry = this.layers.get(MESH.skin)?.object.geometry as THREE.BufferGeometry | undefined;
    if (drag?.kind !== 'paint' || !dab || !paint || !geometry) return;
    const positions = geometry.getAttribute('position').array as Float32Array;
    const normals = geometry.getAttribute('normal').array as Int8Array;
    const isNearMiddle = Math.abs(dab.centre.x) < 0.25 * dab.radius;
    const dabs = this.isSymmetric && !isNearMiddle ? [dab, mirroredDab(dab)] : [dab];
    for (const one of dabs) {
      for (const v of applyDab(paint.array as Float32Array, positions, normals, one)) drag.changed.add(v);
    }
    paint.needsUpdate = true;
    this.stage.invalidate();
    if (drag.isScheduled) return;
    drag.isScheduled = true;
    requestAnimationFrame(() => {
      drag.isScheduled = false;
      if (this.drag === drag) this.sendStroke(drag, false);
    });
  }

  private sendStroke(drag: Extract<Drag, { kind: 'paint' }>, end: boolean): void {
    const paint = this.layers.paintOf(MESH.skin);
    if (!paint) return;
    const vertices = [...drag.changed];
    drag.changed.clear();
    const values = vertices.map((v) => Math.round(1000 * paint.getX(v)) / 1000);
    if (vertices.length > 0 || end) this.events.onStroke({ vertices, values }, paint.count, end);
  }

  private pointerUp(event: PointerEvent): void {
    const { x, y } = this.aim(event);
    const drag = this.drag;
    this.drag = null;
    this.stage.controls.enabled = true;
    if (drag?.kind === 'handle') {
      this.events.onHandle(drag.handle, this.handleFactor(drag), 'end');
    } else if (drag?.kind === 'paint') {
      this.sendStroke(drag, true);
    } else if (this.pressed && event.type === 'pointerup' && Math.hypot(x - this.pressed.x, y - this.pressed.y) < CLICK_REACH_PX) {
      if (!this.brush) this.events.onPick(this.partUnderPointer());
    }
    this.pressed = null;
  }

  private pointerLeave(): void {
    if (this.drag) return;
    this.ring.hide();
    this.layers.shared.uHovered.value = NO_PART;
    this.events.onHover(null, 0, 0);
    this.stage.invalidate();
  }
}

function isSameBox(a: THREE.Box3, b: THREE.Box3): boolean {
  const millimetre = 0.001;
  return a.min.distanceTo(b.min) < millimetre && a.max.distanceTo(b.max) < millimetre;
}
