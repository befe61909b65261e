import { centimetres, percent } from '../../model/format';
import * as store from '../../model/store';
import type { Change, Range } from '../../protocol/types';
import { session } from '../../session';
import { Button, Section, Slider, Switch } from '../controls';
import { WholeBodySlider } from './whole_body_slider';

const FAT_RANGE: Range = [0.4, 3];

const PRESETS: { name: string; label: string; fat: Record<string, number> }[] = [
  { name: 'lean', label: 'Lean', fat: { uniform: 0.6 } },
  { name: 'average', label: 'As at first', fat: {} },
  { name: 'soft', label: 'Soft', fat: { uniform: 1.5 } },
  { name: 'belly', label: 'Belly', fat: { belly: 2 } },
  { name: 'hips', label: 'Hips', fat: { hips: 1.8 } },
  { name: 'full', label: 'Full', fat: { uniform: 2.1 } },
];

export function fatRange(): Range {
  const [low, high] = store.catalogue.value?.ranges.fat ?? FAT_RANGE;
  return [Math.max(low, FAT_RANGE[0] - 0.05), Math.min(high, FAT_RANGE[1])];
}

function applyPreset(fat: Record<string, number>): void {
  const changes: Change[] = Object.keys(store.edits.value)
    .filter((target) => target.startsWith('fat:') || target === 'body_fat' || target === 'weight')
    .map((target) => ({ target, value: null }));
  for (const [region, value] of Object.entries(fat)) changes.push({ target: `fat:${region}`, value });
  if (changes.length > 0) session.edit(changes, false);
}

export function FatPanel() {
  const edits = store.edits.value;
  const { regions } = store.catalogue.value!;
  return (
    <>
      <Section title="Presets">
        <div class="chips">
          {PRESETS.map((p) => (
            <Button key={p.name} testid={`fat-preset-${p.name}`} label={p.label} hint={`Fat: ${p.label}`} onClick={() => applyPreset(p.fat)} />
          ))}
        </div>
      </Section>
      <Section title="Where">
        {regions.map((region) => {
          const target = `fat:${region.name}`;
          const value = typeof edits[target] === 'number' ? (edits[target] as number) : 1;
          return (
            <Slider
              key={region.name}
              testid={`fat-${region.name}`}
              label={region.label}
              fullLabel={`Fat, ${region.label}`}
              value={value}
              range={fatRange()}
              neutral={1}
              text={`× ${value.toFixed(2)}`}
              isSet={target in edits}
              onValue={(v, dragging) => session.edit([{ target, value: v }], dragging)}
              onReset={() => session.edit([{ target, value: null }], false)}
            />
          );
        })}
      </Section>
      <PaintSection />
      <Section title="Weight">
        <WholeBodySlider target="weight" testid="fat-weight" label="Weight, reached by fat" />
      </Section>
    </>
  );
}

function PaintSection() {
  const brush = store.brush.value;
  const set = (change: Partial<store.Brush>) => (store.brush.value = { ...store.brush.value, ...change });
  return (
    <Section
      title="Paint on the skin"
      aside={<Switch testid="brush-on" label="Brush" on={brush.isOn} onToggle={(isOn) => set({ isOn })} />}
    >
      <p class="hint">{brush.isOn ? 'Stroke over the body; drag beside it to turn it.' : 'Switch the brush on and stroke where fat should go.'}</p>
      <div class="chips" role="group" aria-label="What the brush does">
        <Button testid="brush-add" label="Add" pressed={!brush.erases} onClick={() => set({ erases: false, isOn: true })} />
        <Button testid="brush-erase" label="Erase" pressed={brush.erases} onClick={() => set({ erases: true, isOn: true })} />
      </div>
      <Slider testid="brush-radius" label="Size" fullLabel="Size of the brush" value={brush.radius_m} range={[0.02, 0.15]} step={0.005}
        text={centimetres(brush.radius_m, 0)} onValue={(radius_m) => set({ radius_m })} />
      <Slider testid="brush-strength" label="Strength" fullLabel="Strength of the brush" value={brush.strength} range={[0.05, 1]}
        text={percent(brush.strength)} onValue={(strength) => set({ strength })} />
      <Slider testid="brush-amount" label="Amount of fat" fullLabel="Amount of fat where the paint is full" value={brush.amount}
        range={fatRange()} neutral={1} text={`× ${brush.amount.toFixed(2)}`} onValue={(amount, dragging) => {
          set({ amount });
          if (!dragging && store.documentState.value?.painted) session.paint({ vertices: [], values: [] }, null, true);
        }} />
    </Section>
  );
}
