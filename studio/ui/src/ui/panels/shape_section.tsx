import { useRef, useState } from 'preact/hooks';
import { buildFields, type FigureSex, noDeviations, shapeText } from '../../model/shapes';
import { session } from '../../session';
import { Button, Section, Slider } from '../controls';

const RANGE: [number, number] = [-3, 3];

/** The built-in human as somebody else: sliders from the mean person, or the measured specimen again. */
export function ShapeSection() {
  const [sex, setSex] = useState<FigureSex>('male');
  const [deviations, setDeviations] = useState(noDeviations);
  const [isBusy, setBusy] = useState(false);
  // What was asked for while a body was being made; only the last of it counts.
  const waiting = useRef<Record<string, unknown> | null>(null);
  const running = useRef(false);
  const make = async (options: Record<string, unknown>) => {
    waiting.current = options;
    if (running.current) return;
    running.current = true;
    setBusy(true);
    while (waiting.current) {
      const next = waiting.current;
      waiting.current = null;
      await session.build(next);
    }
    running.current = false;
    setBusy(false);
  };
  const move = (k: number, value: number, dragging: boolean) => {
    const next = deviations.map((old, i) => (i === k ? value : old));
    setDeviations(next);
    if (!dragging) void make(buildFields(sex, shapeText(next)));
  };
  const choose = (next: FigureSex) => {
    setSex(next);
    void make(buildFields(next, shapeText(deviations)));
  };
  const reset = (shape: string) => {
    setDeviations(noDeviations());
    void make(buildFields(sex, shape));
  };
  return (
    <Section title="Body shape">
      <p class="hint">The built-in human as other people: standard deviations from the mean person. Each change takes a few seconds and begins anew.</p>
      <label class="field">
        <span>Sex</span>
        <select data-testid="shape-sex" aria-label="Sex of the built-in human" value={sex} onChange={(e) => choose(e.currentTarget.value as FigureSex)}>
          <option value="male">Male</option>
          <option value="female">Female</option>
        </select>
      </label>
      {deviations.map((value, k) => (
        <Slider
          key={k}
          testid={`shape-${k + 1}`}
          label={`Shape ${k + 1}`}
          value={value}
          range={RANGE}
          step={0.1}
          neutral={0}
          text={value.toFixed(1)}
          isSet={value !== 0}
          onValue={(next, dragging) => move(k, next, dragging)}
          onReset={() => move(k, 0, false)}
        />
      ))}
      <div class="chips">
        <Button testid="shape-mean" label={isBusy ? 'Making…' : 'Mean person'} wide onClick={() => reset('mean')} />
        <Button testid="shape-specimen" label="Measured specimen" wide onClick={() => reset('specimen')} />
      </div>
    </Section>
  );
}
