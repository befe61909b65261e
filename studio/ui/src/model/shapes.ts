// Shapes of the built-in human: sliders from the mean person, and what the server is asked for.

export type FigureSex = 'male' | 'female';

/** Sliders of body shape, 1 to 10; the first ones count most. */
export const SHAPE_SLIDERS = 10;

export const noDeviations = (): number[] => Array.from({ length: SHAPE_SLIDERS }, () => 0);

/** As `sinew build --shape` takes it: "mean", or "1=2,3=-0.5". */
export function shapeText(deviations: number[]): string {
  const set = deviations.flatMap((value, k) => (value === 0 ? [] : [`${k + 1}=${value}`]));
  return set.length === 0 ? 'mean' : set.join(',');
}

/** Fields of `sinew schema build`. At preview resolution, which follows sliders as it is. */
export function buildFields(sex: FigureSex, shape: string): Record<string, unknown> {
  return { resolution: 'preview', sex, shape };
}

/** "1.76 m, 85.5 kg, 24 % fat". */
export function bodyText(answer: Record<string, unknown>): string {
  const body = (answer.body ?? {}) as { stature_m?: number; mass_kg?: number; body_fat?: number };
  const parts: string[] = [];
  if (body.stature_m !== undefined) parts.push(`${body.stature_m.toFixed(2)} m`);
  if (body.mass_kg !== undefined) parts.push(`${body.mass_kg.toFixed(1)} kg`);
  if (body.body_fat !== undefined) parts.push(`${Math.round(100 * body.body_fat)} % fat`);
  return parts.join(', ');
}
