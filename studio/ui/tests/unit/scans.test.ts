import { describe, expect, it } from 'vitest';
import { fitFields, personText, weightFrom } from '../../src/model/scans';

describe('a scan', () => {
  it('is asked for with what is known of the person', () => {
    expect(fitFields({ sex: 'auto', weight: null })).toEqual({ resolution: 'preview', sex: 'auto' });
    expect(fitFields({ sex: 'female', weight: 61.5 })).toEqual({ resolution: 'preview', sex: 'female', weight_kg: 61.5 });
  });

  it('takes weights as people write them', () => {
    expect(weightFrom('61.5')).toBe(61.5);
    expect(weightFrom(' 61,5 ')).toBe(61.5);
    expect(weightFrom('')).toBeNull();
    expect(weightFrom('heavy')).toBeNull();
  });

  it('is told as a person in a sentence', () => {
    const person = { stature_m: 1.716, mass_kg: 64.04, fat_kg: 17, distance_mm: { mean: 0.31 } };
    expect(personText({ file: 'anna.sinew', person })).toBe('anna.sinew: 1.72 m, 64.0 kg, 27 % fat; skin to scan 0.3 mm');
    expect(personText({ file: 'b.sinew', person: { stature_m: 1.8 } })).toBe('b.sinew: 1.80 m');
  });
});
