import { PerspectiveCamera, Ray, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { applyDab, mirroredDab } from '../../src/view/brush';
import { cameraFor, stepBack } from '../../src/view/framing';
import { handleSpecs, lengthUnderRay } from '../../src/view/handles';
import { HIGH, isQuickPicture, isSoftwareRenderer, LOW } from '../../src/view/quality';
import { computeCavity, longAxis, partOfVertices } from '../../src/view/surface_attributes';
import { makeCatalogue } from '../mock_body';

/** A square sheet of n x n vertices over [-1, 1]^2, of height z, facing up. */
function sheet(n: number, z: (x: number, y: number) => number) {
  const positions: number[] = [];
  const indices: number[] = [];
  for (let j = 0; j < n; ++j) {
    for (let i = 0; i < n; ++i) {
      const [x, y] = [(2 * i) / (n - 1) - 1, (2 * j) / (n - 1) - 1];
      positions.push(x, y, z(x, y));
      if (i + 1 < n && j + 1 < n) indices.push(j * n + i, j * n + i + 1, (j + 1) * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i);
    }
  }
  const normals = new Int8Array(4 * n * n);
  for (let v = 0; v < n * n; ++v) normals[4 * v + 2] = 127;
  return { positions: new Float32Array(positions), normals, indices: new Uint32Array(indices), middle: Math.floor((n * n) / 2) };
}

describe('creases', () => {
  it('are positive in a bowl, negative on a hill, zero on a plane', () => {
    const options = { rounds: 3, scale: 1 };
    const at = (z: (x: number, y: number) => number) => {
      const s = sheet(9, z);
      return computeCavity(s.positions, s.normals, s.indices, options)[s.middle]!;
    };
    expect(at((x, y) => x * x + y * y)).toBeGreaterThan(0.01);
    expect(at((x, y) => -x * x - y * y)).toBeLessThan(-0.01);
    expect(at((x) => 0.3 * x)).toBeCloseTo(0, 5);
  });
});

describe('parts', () => {
  it('number the vertices of their triangles', () => {
    const parts = partOfVertices(5, new Uint32Array([0, 1, 2, 2, 1, 3]), [{ part: 4, first: 0, count: 3 }]);
    expect([...parts]).toEqual([4, 4, 4, -1, -1]);
  });

  it('have the direction along which they are longest', () => {
    const points = new Float32Array(Array.from({ length: 50 }, (_, i) => [i * 0.6, i * 0.8, 0.01 * (i % 3)]).flat());
    const { axis, stretch } = longAxis(points, Array.from({ length: 50 }, (_, i) => i));
    expect(Math.abs(axis[0]! * 0.6 + axis[1]! * 0.8)).toBeCloseTo(1, 3);
    expect(stretch).toBeGreaterThan(0.99);
  });
});

describe('the brush', () => {
  const s = sheet(11, () => 0);
  const dab = { centre: new Vector3(0.4, 0, 0), normal: new Vector3(0, 0, 1), radius: 0.5, amount: 0.6 };

  it('paints most in the middle, nothing beyond its radius, never above one', () => {
    const paint = new Float32Array(121);
    const changed = applyDab(paint, s.positions, s.normals, dab);
    const distance = (v: number) => Math.hypot(s.positions[3 * v]! - 0.4, s.positions[3 * v + 1]!);
    expect(changed.every((v) => distance(v) < 0.5)).toBe(true);
    const nearest = changed.reduce((a, b) => (distance(a) < distance(b) ? a : b));
    expect(paint[nearest]).toBeCloseTo(0.6, 2);
    applyDab(paint, s.positions, s.normals, dab);
    expect(Math.max(...paint)).toBe(1);
  });

  it('erases down to zero', () => {
    const paint = new Float32Array(121).fill(0.2);
    applyDab(paint, s.positions, s.normals, { ...dab, amount: -1 });
    expect(Math.min(...paint)).toBe(0);
  });

  it('does not reach skin that faces away', () => {
    const paint = new Float32Array(121);
    expect(applyDab(paint, s.positions, s.normals, { ...dab, normal: new Vector3(0, 0, -1) })).toEqual([]);
  });

  it('has a mirror image across the middle of the body', () => {
    expect(mirroredDab(dab).centre.x).toBe(-0.4);
  });
});

describe('handles', () => {
  it('stand at the ends of limbs whose bones can be scaled, and above the head', () => {
    const specs = handleSpecs(makeCatalogue(), undefined, new Vector3(0, 1.8, 0));
    const bones = Object.fromEntries(specs.map((h) => [h.id, h.bone]));
    expect(bones).toMatchObject({ knee_l: 'thigh_l', ankle_r: 'shin_r', elbow_l: 'upper_arm_l', wrist_r: 'forearm_r', crown: null });
  });

  it('follow the pointer along their bone', () => {
    const from = new Vector3(0, 1, 0);
    const at = new Vector3(0, 0.5, 0);
    const ray = new Ray(new Vector3(0, 0.4, 3), new Vector3(0, 0, -1));
    expect(lengthUnderRay(from, at, ray)).toBeCloseTo(0.6, 6);
    const askew = new Ray(new Vector3(0.7, 0.3, 3), new Vector3(-0.7, 0, -3).normalize());
    expect(lengthUnderRay(from, at, askew)).toBeCloseTo(0.7, 6);
  });

  it('stay where they are when one looks along the bone', () => {
    const ray = new Ray(new Vector3(0, 3, 0), new Vector3(0, -1, 0));
    expect(lengthUnderRay(new Vector3(0, 1, 0), new Vector3(0, 0.5, 0), ray)).toBeCloseTo(0.5, 6);
  });
});

describe('quality', () => {
  it('is lower where the processor draws', () => {
    expect(isSoftwareRenderer('ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)))')).toBe(true);
    expect(isSoftwareRenderer('ANGLE (NVIDIA GeForce RTX 3060)')).toBe(false);
  });
});

describe('pictures without a graphics card', () => {
  const rest = { isReshaped: false, wasQuick: false, sinceLast: 5000 };

  it('are quick while the shape changes, however slowly they follow each other', () => {
    expect(isQuickPicture(LOW, { ...rest, isReshaped: true })).toBe(true);
    expect(isQuickPicture(LOW, { ...rest, wasQuick: true })).toBe(true);
    expect(isQuickPicture(LOW, { ...rest, sinceLast: 50 })).toBe(true);
  });

  it('are good after a rest, and always with a graphics card', () => {
    expect(isQuickPicture(LOW, rest)).toBe(false);
    expect(isQuickPicture(HIGH, { isReshaped: true, wasQuick: true, sinceLast: 0 })).toBe(false);
  });
});

describe('framing', () => {
  it('keeps the width of what is seen when a picture becomes narrow', () => {
    // Seen width = 2 d tan(fov / 2) aspect, with d in proportion to stepBack.
    const width = (aspect: number) => stepBack(aspect) * aspect;
    expect(stepBack(1.8)).toBe(1);
    expect(stepBack(0.62)).toBe(1);
    expect(width(0.5)).toBeCloseTo(width(0.62), 12);
    expect(width(0.3)).toBeCloseTo(width(0.62), 12);
  });
});

describe('the camera', () => {
  it('has head and feet of a body of any height in the picture', () => {
    for (const height of [1.2, 1.7, 1.95, 2.3]) {
      for (const aspect of [0.5, 1, 2]) {
        const camera = new PerspectiveCamera(26, aspect, 0.05, 60);
        const { position, target } = cameraFor(new Vector3(0, height / 2, 0), height, new Vector3(0, 0, 1), camera);
        camera.position.copy(position);
        camera.lookAt(target);
        camera.updateMatrixWorld();
        for (const y of [0, height]) expect(Math.abs(new Vector3(0, y, 0).project(camera).y), `${height} m`).toBeLessThan(0.85);
      }
    }
  });
});
