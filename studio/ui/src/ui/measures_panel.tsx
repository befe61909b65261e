import { centimetres, kilograms, millilitres, percent, readable, signed } from '../model/format';
import * as store from '../model/store';
import type { Measures } from '../protocol/types';
import { ChangeBar, Sparkline } from './plots';

interface Row {
  id: string;
  label: string;
  of(measures: Measures): number | undefined;
  text(value: number): string;
  /** The difference in the unit of the text, or '' when it rounds to nothing. */
  change(difference: number): string;
}

const WHOLE: Row[] = [
  { id: 'stature', label: 'Stature', of: (m) => m.stature_m, text: (v) => centimetres(v), change: (d) => signed(100 * d) },
  { id: 'mass', label: 'Weight', of: (m) => m.mass_kg, text: kilograms, change: (d) => signed(d) },
  { id: 'body-fat', label: 'Body fat', of: (m) => m.body_fat, text: (v) => percent(v, 1), change: (d) => signed(100 * d) },
  { id: 'volume', label: 'Volume', of: (m) => m.volume_l, text: (v) => `${v.toFixed(1)} l`, change: (d) => signed(d) },
];

const GIRTHS = ['neck', 'chest', 'waist', 'hips', 'upper_arm_l', 'upper_arm_r', 'thigh_l', 'thigh_r', 'calf_l', 'calf_r'];

function girthRows(measures: Measures): Row[] {
  const names = [...new Set([...GIRTHS, ...Object.keys(measures.girths)])].filter((name) => name in measures.girths);
  return names.map((name) => ({
    id: `girth-${name}`,
    label: readable(name),
    of: (m) => m.girths[name],
    text: (v) => centimetres(v),
    change: (d) => signed(100 * d),
  }));
}

function groupRows(): Row[] {
  const catalogue = store.catalogue.value;
  if (!catalogue) return [];
  return catalogue.groups.slice(0, 12).map((group) => {
    const members = catalogue.muscles.filter((m) => m.group === group.name);
    return {
      id: `volume-${group.name}`,
      label: group.label,
      of: (m) => members.reduce((sum, muscle) => sum + (m.muscles[muscle.name] ?? muscle.volume_ml), 0),
      text: millilitres,
      change: (d) => signed(d, 0),
    };
  });
}

function MeasureRow({ row, plot }: { row: Row; plot: 'history' | 'bar' }) {
  const state = store.documentState.value!;
  const now = row.of(state.measures);
  const before = row.of(state.before);
  if (now === undefined || before === undefined || !Number.isFinite(now)) return null;
  const change = row.change(now - before);
  const history = store.measureHistory.value.map((m) => row.of(m) ?? now);
  return (
    <tr data-testid={`measure-${row.id}`}>
      <th scope="row" title={row.label}>{row.label.replace(', left', ' L').replace(', right', ' R')}</th>
      <td class="plot-cell">{plot === 'history' ? <Sparkline values={history} label={row.label} /> : <ChangeBar before={before} after={now} />}</td>
      <td class="number">
        <span data-testid={`measure-${row.id}-value`} data-value={now}>{row.text(now)}</span>
        <span class={`change ${change.startsWith('+') ? 'more' : 'less'}`} title={`before: ${row.text(before)}`}>
          {change && <span class="sr-only">changed by </span>}
          {change || '\u00a0'}
        </span>
      </td>
    </tr>
  );
}

export function MeasuresPanel() {
  const state = store.documentState.value;
  if (!state?.measures) return null;
  const groups: { title: string; rows: Row[]; plot: 'history' | 'bar' }[] = [
    { title: 'Body', rows: WHOLE, plot: 'history' },
    { title: 'Girths', rows: girthRows(state.measures), plot: 'bar' },
    { title: 'Muscle volumes', rows: groupRows(), plot: 'bar' },
  ];
  return (
    <aside class="measures" aria-label="Measures" data-testid="measures" id="measures">
      <h2>Measures</h2>
      <p class="hint">Now, and the change since the beginning.</p>
      {groups.map((group) => (
        <table key={group.title}>
          <caption>{group.title}</caption>
          <tbody>
            {group.rows.map((row) => (
              <MeasureRow key={row.id} row={row} plot={group.plot} />
            ))}
          </tbody>
        </table>
      ))}
    </aside>
  );
}
