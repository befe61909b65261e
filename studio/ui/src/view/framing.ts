/** Width over height of the narrowest picture into which the arms fit when the height fills it. */
const WIDE_ENOUGH = 0.62;
const NARROWEST = 0.2;

/** How much further away than in a wide picture the camera must stand, by the picture's width over its height. */
export function stepBack(aspect: number): number {
  return Math.max(1, WIDE_ENOUGH / Math.max(NARROWEST, aspect));
}
