// Small pictures made from formulas; a 2-D canvas would wait for the graphics process before the first picture.
import * as THREE from 'three';

function makeTexture(size: number, pixel: (x: number, y: number) => [number, number, number, number]): THREE.DataTexture {
  const data = new Uint8Array(4 * size * size);
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const colour = pixel((column + 0.5) / size, (row + 0.5) / size);
      data.set(colour.map((c) => Math.round(c)), 4 * (row * size + column));
    }
  }
  const texture = new THREE.DataTexture(data, size, size);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.minFilter = texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

function rgb(hex: string): [number, number, number] {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Colours "#rrggbb", `inner` a little above the middle. A grain of one level hides the bands. */
export function radialGradient(inner: string, outer: string): THREE.DataTexture {
  const [a, b] = [rgb(inner), rgb(outer)];
  return makeTexture(256, (x, y) => {
    const t = Math.min(1, Math.hypot(x - 0.5, y - 0.56) / 0.72);
    const s = t * t * (3 - 2 * t);
    const grain = (((x * 9301 + y * 49297) * 233.28) % 1) - 0.5;
    return [0, 1, 2].map((k) => a[k]! + (b[k]! - a[k]!) * s + grain).concat(255) as [number, number, number, number];
  });
}

/** An orange disc with a white rim. */
export function discTexture(): THREE.DataTexture {
  return makeTexture(64, (x, y) => {
    const r = Math.hypot(x - 0.5, y - 0.5);
    const alpha = 255 * Math.min(1, Math.max(0, (0.45 - r) * 40));
    return r > 0.33 ? [255, 255, 255, alpha] : [255, 176, 64, alpha];
  });
}
