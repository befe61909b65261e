// Small plots as SVG: a line of history, a bar of change, and curves with axes.
import type { Curve, Plot } from '../protocol/types';

export function Sparkline({ values, label }: { values: number[]; label: string }) {
  if (values.length < 2) return <svg class="sparkline" viewBox="0 0 60 18" aria-hidden="true" />;
  // A change of less than a hundredth is not a slope worth showing.
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(most - least, 0.01 * Math.abs(most), 1e-9);
  const low = (least + most - span) / 2;
  const points = values.map((v, i) => `${(58 * i) / (values.length - 1) + 1},${(16 - (14 * (v - low)) / span).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox="0 0 60 18" role="img" aria-label={`History of ${label}`}>
      <polyline points={points.join(' ')} />
      <circle cx={points.at(-1)!.split(',')[0]} cy={points.at(-1)!.split(',')[1]} r="1.8" />
    </svg>
  );
}

/** Before as a mark, after as a bar; both share the scale of the longer one. */
export function ChangeBar({ before, after }: { before: number; after: number }) {
  const top = Math.max(before, after, 1e-9) * 1.12;
  return (
    <span class="change-bar" aria-hidden="true">
      <span class={`bar ${after >= before ? 'more' : 'less'}`} style={{ width: `${(100 * after) / top}%` }} />
      <span class="mark" style={{ left: `${(100 * before) / top}%` }} />
    </span>
  );
}

const WIDTH = 300;
const HEIGHT = 170;
const LEFT = 44;
const BOTTOM = 30;
const TOP = 8;

export function niceTicks(low: number, high: number, wanted = 4): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough)!;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high + 1e-9 * step; ++i) ticks.push(Number((i * step).toPrecision(10)));
  return ticks;
}

function extent(curves: Curve[], key: 'x' | 'y'): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const curve of curves) {
    for (const v of curve[key]) {
      if (!Number.isFinite(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  }
  if (low === Infinity) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

export function curveColour(index: number): string {
  return `hsl(${(index * 137.5 + 12) % 360} 62% 56%)`;
}

export function LinePlot({ plot, testid }: { plot: Plot; testid: string }) {
  const [x0, x1] = extent(plot.curves, 'x');
  const [y0, y1] = extent(plot.curves, 'y');
  const sx = (x: number) => LEFT + ((WIDTH - LEFT - 8) * (x - x0)) / (x1 - x0);
  const sy = (y: number) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (y - y0)) / (y1 - y0);
  return (
    <figure class="plot" data-testid={testid}>
      <figcaption>{plot.title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${plot.title}: ${plot.y_label} over ${plot.x_label}, ${plot.curves.length} curves`}>
        {niceTicks(y0, y1).map((y) => (
          <g key={`y${y}`}>
            <line class="grid" x1={LEFT} x2={WIDTH - 8} y1={sy(y)} y2={sy(y)} />
            <text x={LEFT - 4} y={sy(y) + 3} text-anchor="end">{y}</text>
          </g>
        ))}
        {niceTicks(x0, x1).map((x) => (
          <g key={`x${x}`}>
            <line class="grid" x1={sx(x)} x2={sx(x)} y1={TOP} y2={HEIGHT - BOTTOM} />
            <text x={sx(x)} y={HEIGHT - BOTTOM + 11} text-anchor="middle">{x}</text>
          </g>
        ))}
        {plot.curves.map((curve, i) => (
          <polyline
            key={curve.name}
            style={{ stroke: curveColour(i) }}
            points={curve.x.map((x, k) => `${sx(x).toFixed(1)},${sy(curve.y[k] ?? 0).toFixed(1)}`).join(' ')}
          >
            <title>{curve.label ?? curve.name}</title>
          </polyline>
        ))}
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">{plot.x_label}</text>
        <text x={-HEIGHT / 2 + 12} y={10} transform="rotate(-90)" text-anchor="middle">{plot.y_label}</text>
      </svg>
      <ul class="legend">
        {plot.curves.map((curve, i) => (
          <li key={curve.name}>
            <span style={{ background: curveColour(i) }} aria-hidden="true" /> {curve.label ?? curve.name}
          </li>
        ))}
      </ul>
    </figure>
  );
}
