import * as THREE from 'three';

/** Width over height of the narrowest picture into which the arms fit when the height fills it. */
const WIDE_ENOUGH = 0.62;
const NARROWEST = 0.2;

/** How much further away than in a wide picture the camera must stand, by the picture's width over its height. */
export function stepBack(aspect: number): number {
  return Math.max(1, WIDE_ENOUGH / Math.max(NARROWEST, aspect));
}

/** Where the camera stands and looks so that a body of this middle and height fits, seen from a direction of length 1. */
export function cameraFor(
  centre: THREE.Vector3,
  height: number,
  direction: THREE.Vector3,
  camera: { fov: number; aspect: number },
): { position: THREE.Vector3; target: THREE.Vector3 } {
  // Room above the head and below the feet for what lies over the picture.
  const halfHeight = 0.65 * height;
  const vertical = THREE.MathUtils.degToRad(camera.fov / 2);
  // Narrow views must step back until the arms fit too.
  const needed = halfHeight * stepBack(camera.aspect);
  const target = centre.clone().add(new THREE.Vector3(0, -0.02 * height, 0));
  return { position: target.clone().addScaledVector(direction, needed / Math.tan(vertical)), target };
}
