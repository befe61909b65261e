import { useEffect, useState } from 'preact/hooks';
import { growth, millilitres, newtons, readable } from '../../model/format';
import { matches } from '../../model/search';
import * as store from '../../model/store';
import { groupValue, mirrored, muscleValue, ownValue, sideOf, stemOf, targetOf } from '../../model/targets';
import type { Muscle, Range } from '../../protocol/types';
import { session } from '../../session';
import { Button, Search, Section, Slider } from '../controls';

const DEFAULT_RANGE: Range = [0.6, 1.7];
const SLIDER_GROUPS = 12;

/** Sliders need a range that a hand can steer in; the solver takes more. */
export function muscleRange(): Range {
  const [low, high] = store.catalogue.value?.ranges.muscle ?? DEFAULT_RANGE;
  return [Math.max(low, DEFAULT_RANGE[0]), Math.min(high, DEFAULT_RANGE[1])];
}

export function MusclesPanel({ focus }: { focus(name: string): void }) {
  const [query, setQuery] = useState('');
  const { groups, muscles } = store.catalogue.value!;
  const selected = muscles.find((m) => m.name === store.selectedMuscle.value) ?? null;
  return (
    <>
      {selected && <SelectedMuscle muscle={selected} focus={focus} />}
      <Section title="Groups">
        <p class="hint">Thickness of the muscles. A muscle a fifth thicker has almost half as much more volume.</p>
        {groups.slice(0, SLIDER_GROUPS).map((group) => (
          <GroupSliders key={group.name} name={group.name} label={group.label} />
        ))}
      </Section>
      <Section title="All muscles">
        <Search testid="muscle-search" label="Find a muscle" value={query} onValue={setQuery} />
        <MuscleList query={query} />
      </Section>
    </>
  );
}

function GroupSliders({ name, label }: { name: string; label: string }) {
  const names = store.isSymmetric.value ? [name] : [`${name}_l`, `${name}_r`];
  return (
    <>
      {names.map((n) => {
        const side = sideOf(n);
        const value = groupValue(store.edits.value, n);
        const shown = side ? `${label}, ${side === 'l' ? 'left' : 'right'}` : label;
        return (
          <GrowthSlider key={n} testid={`group-${n}`} name={n} label={shown} fullLabel={`${shown}: thickness of the muscles`} value={value} />
        );
      })}
    </>
  );
}

function GrowthSlider(props: { testid: string; name: string; label: string; fullLabel: string; value: number }) {
  const edits = store.edits.value;
  return (
    <Slider
      testid={props.testid}
      label={props.label}
      fullLabel={props.fullLabel}
      value={props.value}
      range={muscleRange()}
      neutral={1}
      text={growth(props.value)}
      isSet={ownValue(edits, 'muscle', props.name) !== undefined || `${targetOf('muscle', props.name)}_l` in edits}
      onValue={(value, dragging) => session.editPart('muscle', props.name, value, dragging)}
      onReset={() => session.editPart('muscle', props.name, null, false)}
    />
  );
}

/** What was clicked: its name, its size, what it can pull, and its sliders. */
export function SelectedMuscle({ muscle, focus }: { muscle: Muscle; focus(name: string): void }) {
  const state = store.documentState.value!;
  const before = state.before.muscles[muscle.name] ?? muscle.volume_ml;
  const now = state.measures.muscles[muscle.name] ?? muscle.volume_ml;
  const value = muscleValue(store.edits.value, muscle);
  // Force goes with the cross-section, which grows as the volume of a belly that keeps its length.
  const force = before > 0 ? (muscle.force_n * now) / before : muscle.force_n;
  const label = muscle.label || readable(muscle.name);
  return (
    <section class="section selected" data-testid="selected-muscle" aria-label={`Selected muscle: ${label}`}>
      <header>
        <h3 data-testid="selected-name">{label}</h3>
        <Button testid="selected-focus" label="Look closer" icon="focus" onClick={() => focus(muscle.name)} />
        <Button testid="selected-close" label="Deselect" icon="close" onClick={() => (store.selectedMuscle.value = null)} />
      </header>
      <dl class="facts">
        <dt>Group</dt>
        <dd>{groupLabel(muscle.group)}</dd>
        <dt>Volume</dt>
        <dd data-testid="selected-volume">{millilitres(now)}</dd>
        <dt>Force</dt>
        <dd data-testid="selected-force">{newtons(force)}</dd>
      </dl>
      <GrowthSlider testid="selected-growth" name={muscle.name} label="Thickness" fullLabel={`${label}: thickness`} value={value} />
      <Slider
        testid="selected-activation"
        label="Contract"
        fullLabel={`${label}: contraction`}
        value={store.activations.value[muscle.name] ?? 0}
        range={[0, 1]}
        text={`${Math.round(100 * (store.activations.value[muscle.name] ?? 0))} %`}
        onValue={(a) => setActivation(muscle.name, a)}
      />
    </section>
  );
}

function setActivation(name: string, value: number): void {
  const names = store.isSymmetric.value ? [name, mirrored(name)] : [name];
  store.activations.value = { ...store.activations.value, ...Object.fromEntries(names.map((n) => [n, value])) };
}

function groupLabel(name: string): string {
  return store.catalogue.value?.groups.find((g) => g.name === name)?.label ?? readable(name);
}

interface Row {
  name: string;
  label: string;
  muscle: Muscle;
}

/** One row per pair when editing is symmetric. */
function rowsOf(muscles: Muscle[], symmetric: boolean): Row[] {
  if (!symmetric) return muscles.map((m) => ({ name: m.name, label: m.label || readable(m.name), muscle: m }));
  const seen = new Set<string>();
  const rows: Row[] = [];
  for (const muscle of muscles) {
    const stem = stemOf(muscle.name);
    if (seen.has(stem)) continue;
    seen.add(stem);
    rows.push({ name: muscle.name, label: (muscle.label || readable(muscle.name)).replace(/,? \(?(left|right)\)?$/i, ''), muscle });
  }
  return rows;
}

function MuscleList({ query }: { query: string }) {
  const { groups, muscles } = store.catalogue.value!;
  const found = muscles.filter((m) => matches(query, m.label, m.name, m.group));
  const names = [...new Set([...groups.map((g) => g.name), ...muscles.map((m) => m.group)])];
  const isSearching = query.trim() !== '';
  if (found.length === 0) return <p class="hint">No muscle of that name.</p>;
  return (
    <div class="muscle-list" data-testid="muscle-list">
      {names.map((group) => {
        const members = found.filter((m) => m.group === group);
        if (members.length === 0) return null;
        return <MuscleGroup key={group} name={group} members={members} isSearching={isSearching} />;
      })}
    </div>
  );
}

function MuscleGroup({ name, members, isSearching }: { name: string; members: Muscle[]; isSearching: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const holdsSelected = members.some((m) => m.name === store.selectedMuscle.value);
  useEffect(() => {
    if (holdsSelected) setOpen(true);
  }, [holdsSelected]);
  const shown = isOpen || isSearching;
  const rows = rowsOf(members, store.isSymmetric.value);
  return (
    <div class="muscle-group">
      <button
        type="button"
        class="group-head"
        aria-expanded={shown}
        data-testid={`list-group-${name}`}
        aria-label={`${groupLabel(name)}, ${rows.length} muscles`}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{groupLabel(name)}</span>
        <span class="count">{rows.length}</span>
      </button>
      {shown && (
        <ul>
          {rows.map((row) => (
            <li key={row.name}>
              <button
                type="button"
                class="row"
                aria-pressed={store.selectedMuscle.value === row.name}
                data-testid={`muscle-${row.name}`}
                aria-label={row.label}
                onClick={() => (store.selectedMuscle.value = row.name)}
              >
                <span>{row.label}</span>
                <span class="count">{growthText(row.muscle)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function growthText(muscle: Muscle): string {
  const value = muscleValue(store.edits.value, muscle);
  return value === 1 ? millilitres(muscle.volume_ml) : growth(value);
}
