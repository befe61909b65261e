import { centimetres, kilograms, percent } from '../../model/format';
import * as store from '../../model/store';
import type { Measures, Range } from '../../protocol/types';
import { session } from '../../session';
import { Slider } from '../controls';

type Target = 'stature' | 'weight' | 'body_fat';

const LOOK: Record<Target, { measure: (m: Measures) => number; range: Range; step: number; text: (value: number) => string }> = {
  stature: { measure: (m) => m.stature_m, range: [1.4, 2.1], step: 0.005, text: (v) => centimetres(v, 0) },
  weight: { measure: (m) => m.mass_kg, range: [45, 150], step: 0.5, text: kilograms },
  body_fat: { measure: (m) => m.body_fat, range: [0.05, 0.45], step: 0.005, text: (v) => percent(v, 1) },
};

/** A wish for the whole body; where there is none, it shows what the body measures. */
export function WholeBodySlider({ target, testid, label }: { target: Target; testid: string; label: string }) {
  const { measures, before } = store.documentState.value!;
  const wish = store.edits.value[target];
  const { measure, range, step, text } = LOOK[target];
  const value = typeof wish === 'number' ? wish : measure(measures);
  return (
    <Slider
      testid={testid}
      label={label}
      value={value}
      range={store.catalogue.value?.ranges[target] ?? range}
      step={step}
      neutral={measure(before)}
      text={text(value)}
      isSet={wish !== undefined}
      onValue={(v, dragging) => session.edit([{ target, value: v }], dragging)}
      onReset={() => session.edit([{ target, value: null }], false)}
    />
  );
}
