// Light from all around as nine numbers per colour: large soft panels, without a picture of the room.
import * as THREE from 'three';

interface Panel {
  direction: [number, number, number];
  colour: number;
  strength: number;
}

const PANELS: Panel[] = [
  { direction: [0.2, 1, 0.35], colour: 0xfff4ea, strength: 0.95 },
  { direction: [1, 0.25, 0.6], colour: 0xffe3cc, strength: 0.55 },
  { direction: [-1, 0.2, 0.3], colour: 0xcfdcff, strength: 0.5 },
  { direction: [0, 0.1, -1], colour: 0xdfe6ff, strength: 0.35 },
  { direction: [0, -1, 0.2], colour: 0xd9a892, strength: 0.22 },
];
const AMBIENT = 0.06;

export function makeSoftLight(): THREE.LightProbe {
  const harmonics = new THREE.SphericalHarmonics3();
  const basis: number[] = new Array(9).fill(0);
  for (const panel of PANELS) {
    const direction = new THREE.Vector3(...panel.direction).normalize();
    THREE.SphericalHarmonics3.getBasisAt(direction, basis);
    const colour = new THREE.Color(panel.colour).multiplyScalar(panel.strength);
    // Only up to second order: higher ones would ring, and the panels are wide anyway.
    basis.forEach((b, i) => {
      const soften = i === 0 ? 1 : i < 4 ? 0.8 : 0.3;
      harmonics.coefficients[i]!.add(new THREE.Vector3(colour.r, colour.g, colour.b).multiplyScalar(b * soften * 0.85));
    });
  }
  harmonics.coefficients[0]!.addScalar(AMBIENT);
  return new THREE.LightProbe(harmonics, 1);
}
