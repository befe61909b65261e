import { useEffect, useState } from 'preact/hooks';
import { listFiles } from '../../model/files';
import { forcePlots, type ForcePlots } from '../../model/forces';
import * as store from '../../model/store';
import { session } from '../../session';
import { readable } from '../../model/format';
import { Button, Section } from '../controls';
import { LinePlot } from '../plots';

export function ForcesPanel({ pickFiles }: { pickFiles(accept: string): void }) {
  const [shown, setShown] = useState<ForcePlots | null>(null);
  const model = store.forcesModel.value;
  const [models, setModels] = useState<string[]>([]);
  useEffect(() => {
    listFiles()
      .then((all) => setModels(all.map((f) => f.name).filter((n) => /\.(osim|xml)$/i.test(n))))
      .catch(() => setModels([]));
  }, [shown, model]);
  const ask = async (file: string, coordinate: string) => {
    const answer = await session.command('forces', { ...(file ? { file } : {}), ...(coordinate ? { coordinate } : {}) });
    if (answer) setShown(forcePlots(answer));
  };
  // Another model, or the tab is opened: its curves are what one comes for.
  useEffect(() => void ask(model, ''), [model]);
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
            onChange={(e) => (store.forcesModel.value = e.currentTarget.value)}
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
          <Button testid="forces-show" label="Compute again" icon="forces" hint="For the body as it is now" wide onClick={() => void ask(model, shown?.coordinate ?? '')} />
          <Button testid="forces-open" label="Open a model…" icon="open" wide onClick={() => pickFiles('.osim,.xml')} />
        </div>
      </Section>
      {!shown && <p class="hint" role="status">Computing the curves…</p>}
      {shown && shown.plots.length === 0 && <p class="hint">No muscle crosses this joint.</p>}
      {shown?.plots.map((plot, i) => <LinePlot key={i} plot={plot} testid={`forces-plot-${i}`} />)}
    </>
  );
}
