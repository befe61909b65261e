import { useEffect, useState } from 'preact/hooks';
import { listFiles } from '../../model/files';
import type { Answer, Curve, Plot } from '../../protocol/types';
import { session } from '../../session';
import { readable } from '../../model/format';
import { Button, Section } from '../controls';
import { LinePlot } from '../plots';

interface Shown {
  plots: Plot[];
  coordinate: string;
  coordinates: string[];
}

export function plotsOf(answer: Answer): Shown {
  const coordinate = String(answer.coordinate ?? '');
  const plots = (answer.plots as Plot[] | undefined) ?? [
    {
      title: String(answer.title ?? readable(coordinate)),
      x_label: String(answer.x_label ?? 'angle'),
      y_label: String(answer.y_label ?? 'force'),
      curves: (answer.curves as Curve[] | undefined) ?? [],
    },
  ];
  const names = (answer.coordinates as (string | { name: string })[] | undefined) ?? [];
  return { plots, coordinate, coordinates: names.map((c) => (typeof c === 'string' ? c : c.name)) };
}

export function ForcesPanel({ pickFiles }: { pickFiles(accept: string): void }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [model, setModel] = useState('');
  const [models, setModels] = useState<string[]>([]);
  useEffect(() => {
    listFiles()
      .then((all) => setModels(all.map((f) => f.name).filter((n) => /\.(osim|xml)$/i.test(n))))
      .catch(() => setModels([]));
  }, [shown]);
  const ask = async (file: string, coordinate: string) => {
    const answer = await session.command('forces', { ...(file ? { file } : {}), ...(coordinate ? { coordinate } : {}) });
    if (answer) setShown(plotsOf(answer));
  };
  return (
    <>
      <p class="hint">How hard and with what lever the muscles pull as a joint turns.</p>
      <Section title="Model">
        <label class="field">
          <span>Model</span>
          <select
            data-testid="forces-model"
            aria-label="Musculoskeletal model"
            value={model}
            onChange={(e) => {
              setModel(e.currentTarget.value);
              void ask(e.currentTarget.value, '');
            }}
          >
            <option value="">This body</option>
            {models.map((m) => (
              <option key={m} value={m}>{m}</option>
            ))}
          </select>
        </label>
        {shown && shown.coordinates.length > 0 && (
          <label class="field">
            <span>Joint</span>
            <select data-testid="forces-coordinate" aria-label="Joint coordinate" value={shown.coordinate} onChange={(e) => void ask(model, e.currentTarget.value)}>
              {shown.coordinates.map((c) => (
                <option key={c} value={c}>{readable(c)}</option>
              ))}
            </select>
          </label>
        )}
        <div class="chips">
          <Button testid="forces-show" label="Show curves" icon="forces" wide primary onClick={() => void ask(model, shown?.coordinate ?? '')} />
          <Button testid="forces-open" label="Open a model…" icon="open" wide onClick={() => pickFiles('.osim,.xml')} />
        </div>
      </Section>
      {shown?.plots.map((plot, i) => <LinePlot key={i} plot={plot} testid={`forces-plot-${i}`} />)}
    </>
  );
}
