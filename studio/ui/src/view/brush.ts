// Painting fat: dabs on the skin's vertices, and the ring that shows where the next one goes.
import * as THREE from 'three';

export interface Dab {
  centre: THREE.Vector3;
  normal: THREE.Vector3;
  radius: number;
  /** Added to the map in the middle of the dab; negative erases. */
  amount: number;
}

export interface PaintedVertices {
  vertices: number[];
  values: number[];
}

/** Adds a dab to the map in place. Only skin that faces the way the dab's middle does: never through an arm to the chest. */
export function applyDab(paint: Float32Array, positions: Float32Array, normals: Int8Array, dab: Dab): number[] {
  const changed: number[] = [];
  const { centre, normal, radius } = dab;
  const r2 = radius * radius;
  for (let v = 0; v < paint.length; ++v) {
    const dx = positions[3 * v]! - centre.x;
    const dy = positions[3 * v + 1]! - centre.y;
    const dz = positions[3 * v + 2]! - centre.z;
    const d2 = dx * dx + dy * dy + dz * dz;
    if (d2 >= r2) continue;
    const facing = normals[4 * v]! * normal.x + normals[4 * v + 1]! * normal.y + normals[4 * v + 2]! * normal.z;
    if (facing < 0) continue;
    const falloff = (1 - d2 / r2) ** 2;
    const next = Math.min(1, Math.max(0, paint[v]! + dab.amount * falloff));
    if (next === paint[v]) continue;
    paint[v] = next;
    changed.push(v);
  }
  return changed;
}

/** The dab on the other side of the body's middle plane, x = 0. */
export function mirroredDab(dab: Dab): Dab {
  const flip = (v: THREE.Vector3) => new THREE.Vector3(-v.x, v.y, v.z);
  return { ...dab, centre: flip(dab.centre), normal: flip(dab.normal) };
}

export class BrushRing {
  readonly object: THREE.LineLoop;

  constructor() {
    const points = Array.from({ length: 64 }, (_, i) => {
      const angle = (2 * Math.PI * i) / 64;
      return new THREE.Vector3(Math.cos(angle), Math.sin(angle), 0);
    });
    const material = new THREE.LineBasicMaterial({ color: 0xffc04a, depthTest: false, transparent: true, opacity: 0.95 });
    this.object = new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(points), material);
    this.object.renderOrder = 30;
    this.object.visible = false;
    this.object.frustumCulled = false;
  }

  show(dab: Pick<Dab, 'centre' | 'normal' | 'radius'>): void {
    this.object.visible = true;
    this.object.position.copy(dab.centre).addScaledVector(dab.normal, 0.002);
    this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), dab.normal);
    this.object.scale.setScalar(dab.radius);
  }

  hide(): void {
    this.object.visible = false;
  }
}
