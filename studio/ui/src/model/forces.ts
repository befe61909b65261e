// What the server says about the muscles at a joint, as plots.
import type { Answer, Plot } from '../protocol/types';
import { readable } from './format';

interface MuscleCurve {
  name: string;
  label: string;
  moment_arm_m: number[];
  length_m: number[];
  force_n: number[];
}

export interface ForcePlots {
  plots: Plot[];
  coordinate: string;
  coordinates: string[];
}

/** More curves than this cannot be told apart; the server names the strongest first. */
const MOST_CURVES = 10;

export function forcePlots(answer: Answer): ForcePlots {
  const coordinate = String(answer.coordinate ?? '');
  const x = (answer.values as number[] | undefined) ?? [];
  const muscles = ((answer.muscles as MuscleCurve[] | undefined) ?? []).slice(0, MOST_CURVES);
  const isAngle = answer.unit !== 'm';
  const x_label = `${readable(coordinate)} (${isAngle ? '°' : 'm'})`;
  const plot = (title: string, y_label: string, y: (m: MuscleCurve) => number[]): Plot => ({
    title,
    x_label,
    y_label,
    curves: muscles.map((m) => ({ name: m.name, label: m.label, x, y: y(m) })),
  });
  const plots = [
    plot('Strongest pull', 'force (N)', (m) => m.force_n),
    plot(isAngle ? 'Lever' : 'Share that acts', isAngle ? 'moment arm (cm)' : 'moment arm', (m) => m.moment_arm_m.map((r) => (isAngle ? 100 * r : r))),
    plot('Length, tendon and all', 'length (cm)', (m) => m.length_m.map((l) => 100 * l)),
  ];
  return { plots: muscles.length > 0 ? plots : [], coordinate, coordinates: (answer.coordinates as string[] | undefined) ?? [] };
}
