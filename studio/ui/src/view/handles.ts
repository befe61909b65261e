// Handles at joints: dragging one along its bone makes the bone longer or shorter; the one above the head sets the stature.
import * as THREE from 'three';
import type { Catalogue, Joint, Vec3 } from '../protocol/types';
import { sideOf, stemOf } from '../model/targets';
import { discTexture } from './textures';

export interface HandleSpec {
  id: string;
  label: string;
  /** Name of the bone to scale, or null for the stature. */
  bone: string | null;
  at: THREE.Vector3;
  /** Fixed end of the bone. */
  from: THREE.Vector3;
}

interface Rule {
  joint: RegExp;
  from: RegExp;
  bones: string[];
}
const RULES: Rule[] = [
  { joint: /^knee/, from: /^hip/, bones: ['thigh', 'femur', 'legs'] },
  { joint: /^ankle/, from: /^knee/, bones: ['shin', 'tibia', 'legs'] },
  { joint: /^elbow/, from: /^(shoulder|glenohumeral)/, bones: ['upper_arm', 'humerus', 'arms'] },
  { joint: /^wrist/, from: /^elbow/, bones: ['forearm', 'ulna', 'arms'] },
];

const LONG_BONES = /^(upper_arm|forearm|thigh|shin)(_[lr])?$/;

/** Handles that a catalogue's joints and bones allow, where they are now. */
export function handleSpecs(
  catalogue: Catalogue,
  positions: Record<string, Vec3> | undefined,
  crown: THREE.Vector3 | null,
): HandleSpec[] {
  const place = (joint: Joint) => new THREE.Vector3(...(positions?.[joint.name] ?? joint.position));
  const stems = new Set(catalogue.bones.map((b) => stemOf(b.name)));
  const specs: HandleSpec[] = [];
  // Long bones say themselves where they end; else the joints at the ends of limbs do.
  for (const bone of catalogue.bones) {
    if (!bone.position || !bone.end || !LONG_BONES.test(bone.name)) continue;
    const [from, at] = [positions?.[`${bone.name}:start`] ?? bone.position, positions?.[bone.name] ?? bone.end];
    specs.push({ id: bone.name, label: bone.label, bone: bone.name, at: new THREE.Vector3(...at), from: new THREE.Vector3(...from) });
  }
  const hasLongBones = specs.length > 0;
  for (const joint of hasLongBones ? [] : catalogue.joints) {
    const rule = RULES.find((r) => r.joint.test(joint.name));
    if (!rule) continue;
    const side = sideOf(joint.name);
    const start = catalogue.joints.find((j) => rule.from.test(j.name) && sideOf(j.name) === side);
    const stem = rule.bones.find((b) => stems.has(b));
    if (!start || !stem) continue;
    const bone = side ? `${stem}_${side}` : stem;
    specs.push({ id: joint.name, label: joint.label, bone, at: place(joint), from: place(start) });
  }
  if (crown) specs.push({ id: 'crown', label: 'Stature', bone: null, at: crown, from: new THREE.Vector3(crown.x, 0, crown.z) });
  return specs;
}

/** Distance from `from` of the point on the line from -> at that is nearest to a ray. */
export function lengthUnderRay(from: THREE.Vector3, at: THREE.Vector3, ray: THREE.Ray): number {
  const axis = at.clone().sub(from).normalize();
  const across = from.clone().sub(ray.origin);
  const b = axis.dot(ray.direction);
  const nearlyParallel = 1 - b * b < 1e-4;
  if (nearlyParallel) return at.distanceTo(from);
  return (b * across.dot(ray.direction) - across.dot(axis)) / (1 - b * b);
}

export class Handles {
  readonly root = new THREE.Group();
  private specs: HandleSpec[] = [];
  private readonly material: THREE.SpriteMaterial;
  private readonly boneLine = new THREE.LineBasicMaterial({ color: 0xffb040, depthTest: false, transparent: true, opacity: 0.55 });

  constructor() {
    this.material = new THREE.SpriteMaterial({ map: discTexture(), depthTest: false, sizeAttenuation: false, toneMapped: false });
    this.root.visible = false;
  }

  set(specs: HandleSpec[]): void {
    this.specs = specs;
    this.root.clear();
    for (const spec of specs) {
      const sprite = new THREE.Sprite(this.material);
      sprite.position.copy(spec.at);
      sprite.scale.setScalar(0.016);
      sprite.renderOrder = 41;
      this.root.add(sprite);
      if (spec.bone === null) continue;
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([spec.from, spec.at]), this.boneLine);
      line.renderOrder = 40;
      line.frustumCulled = false;
      this.root.add(line);
    }
  }

  /** Handle within `reach` pixels of a point of the picture. */
  find(x: number, y: number, camera: THREE.Camera, width: number, height: number, reach: number): HandleSpec | null {
    if (!this.root.visible) return null;
    let best: HandleSpec | null = null;
    let bestDistance = reach;
    for (const spec of this.specs) {
      const p = spec.at.clone().project(camera);
      if (p.z > 1) continue;
      const distance = Math.hypot(((p.x + 1) / 2) * width - x, ((1 - p.y) / 2) * height - y);
      if (distance < bestDistance) {
        best = spec;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** Where handles are in the picture, in pixels (for tests and labels). */
  screenPositions(camera: THREE.Camera, width: number, height: number): { id: string; x: number; y: number }[] {
    return this.specs.map((spec) => {
      const p = spec.at.clone().project(camera);
      return { id: spec.id, x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height };
    });
  }
}
