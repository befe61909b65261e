import { describe, expect, it } from 'vitest';
import { forcePlots } from '../../src/model/forces';

const muscle = (name: string) => ({ name, label: name.toUpperCase(), moment_arm_m: [0.02, 0.04], length_m: [0.3, 0.28], force_n: [100, 250] });
const answer = (muscles: unknown[], unit = 'deg') => ({ re: 1, ok: true as const, coordinate: 'elbow_l_flexion', coordinates: ['elbow_l_flexion'], unit, values: [0, 90], muscles });

describe('muscle forces', () => {
  it('are plotted as the server tells them: pull, lever and length over the angle', () => {
    const { plots, coordinate } = forcePlots(answer([muscle('biceps')]));
    expect(coordinate).toBe('elbow_l_flexion');
    expect(plots.map((p) => p.curves[0]!.y.map(Math.round))).toEqual([[100, 250], [2, 4], [30, 28]]);
    expect(plots[0]!.curves[0]).toMatchObject({ label: 'BICEPS', x: [0, 90] });
    expect(plots[0]!.x_label).toContain('°');
  });

  it('show the strongest muscles only, and nothing where none crosses the joint', () => {
    const many = Array.from({ length: 24 }, (_, i) => muscle(`m${i}`));
    expect(forcePlots(answer(many)).plots[0]!.curves.map((c) => c.name)).toEqual(many.slice(0, 10).map((m) => m.name));
    expect(forcePlots(answer([])).plots).toEqual([]);
  });
});
