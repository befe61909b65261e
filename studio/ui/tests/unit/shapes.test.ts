import { describe, expect, it } from 'vitest';
import { bodyText, buildFields, noDeviations, SHAPE_SLIDERS, shapeText } from '../../src/model/shapes';

describe('a shape', () => {
  it('is the mean person until a slider moves', () => {
    expect(noDeviations()).toHaveLength(SHAPE_SLIDERS);
    expect(shapeText(noDeviations())).toBe('mean');
    expect(shapeText([0, 2, 0, -0.5])).toBe('2=2,4=-0.5');
  });

  it('is asked for as the command takes it', () => {
    expect(buildFields('female', '1=2')).toEqual({ resolution: 'preview', sex: 'female', shape: '1=2' });
  });

  it('is told in a sentence', () => {
    expect(bodyText({ body: { stature_m: 1.756, mass_kg: 85.52, body_fat: 0.243 } })).toBe('1.76 m, 85.5 kg, 24 % fat');
    expect(bodyText({})).toBe('');
  });
});
