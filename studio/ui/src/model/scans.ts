// Scans of people: what is asked of the server, and its answer in a sentence.

export type ScanSex = 'auto' | 'male' | 'female';

export interface ScanOptions {
  sex: ScanSex;
  /** kg; null where it is not known */
  weight: number | null;
}

export const SCAN_FILES = '.ply,.obj,.stl,.off,.glb,.gltf,.fbx';

/** Fields of `sinew schema fit`. At preview resolution, which follows sliders as it is. */
export function fitFields(options: ScanOptions): Record<string, unknown> {
  return { resolution: 'preview', sex: options.sex, ...(options.weight === null ? {} : { weight_kg: options.weight }) };
}

/** The number in a field for kilograms, where it holds one. */
export function weightFrom(text: string): number | null {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(value) ? value : null;
}

/** "anna.sinew: 1.72 m, 64.0 kg, 27 % fat; skin to scan 0.3 mm". */
export function personText(answer: Record<string, unknown>): string {
  const person = (answer.person ?? {}) as { stature_m?: number; mass_kg?: number; fat_kg?: number; distance_mm?: { mean?: number } };
  const parts: string[] = [];
  if (person.stature_m !== undefined) parts.push(`${person.stature_m.toFixed(2)} m`);
  if (person.mass_kg !== undefined) parts.push(`${person.mass_kg.toFixed(1)} kg`);
  if (person.mass_kg && person.fat_kg !== undefined) parts.push(`${Math.round((100 * person.fat_kg) / person.mass_kg)} % fat`);
  const distance = person.distance_mm?.mean;
  return `${String(answer.file)}: ${parts.join(', ')}${distance === undefined ? '' : `; skin to scan ${distance.toFixed(1)} mm`}`;
}
