import * as store from '../../model/store';
import { session } from '../../session';
import { Button, Section, Slider } from '../controls';

/** Activations of the groups; single muscles have theirs where they are selected. */
export function ContractPanel() {
  const { groups, muscles } = store.catalogue.value!;
  const values = store.activations.value;
  const isContracted = Object.values(values).some((v) => v > 0);
  const single = Object.keys(values).filter((name) => muscles.some((m) => m.name === name) && values[name]! > 0);
  const names = groups.flatMap((group) =>
    store.isSymmetric.value
      ? [{ name: group.name, label: group.label }]
      : [
          { name: `${group.name}_l`, label: `${group.label}, left` },
          { name: `${group.name}_r`, label: `${group.label}, right` },
        ],
  );
  const set = (name: string, value: number) => (store.activations.value = { ...store.activations.value, [name]: value });
  return (
    <>
      <p class="hint">Contracted muscles bulge and keep their volume.</p>
      <Section title="Activation" aside={<Button testid="relax" label="Relax all" disabled={!isContracted} onClick={() => void relax()} />}>
        {names.map(({ name, label }) => (
          <Slider
            key={name}
            testid={`contract-${name}`}
            label={label}
            fullLabel={`Contract ${label}`}
            value={values[name] ?? 0}
            range={[0, 1]}
            text={`${Math.round(100 * (values[name] ?? 0))} %`}
            onValue={(v) => set(name, v)}
          />
        ))}
      </Section>
      {single.length > 0 && <p class="hint">Also: {single.map((name) => muscles.find((m) => m.name === name)?.label ?? name).join('; ')}</p>}
    </>
  );
}

async function relax(): Promise<void> {
  store.activations.value = {};
  await session.command('stop');
}
