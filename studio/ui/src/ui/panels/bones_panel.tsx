import { growth } from '../../model/format';
import * as store from '../../model/store';
import { ownValue, sideOf, stemOf } from '../../model/targets';
import type { Named, Range } from '../../protocol/types';
import { session } from '../../session';
import { Section, Slider } from '../controls';
import { WholeBodySlider } from './whole_body_slider';

const BONE_RANGE: Range = [0.7, 1.4];

/** Names that mean both sides and already have a slider. */
const PAIRS: Record<string, string> = { hand: 'hands', foot: 'feet' };

export function boneRange(): Range {
  const [low, high] = store.catalogue.value?.ranges.bone ?? BONE_RANGE;
  return [Math.max(low, BONE_RANGE[0]), Math.min(high, BONE_RANGE[1])];
}

/** One row for both sides when editing is symmetric; else one for each side that the body has. */
function rows(bones: Named[], symmetric: boolean): Named[] {
  if (!symmetric) return bones;
  const names = new Set(bones.map((b) => b.name));
  const seen = new Map<string, Named>();
  for (const bone of bones) {
    const stem = stemOf(bone.name);
    if (names.has(PAIRS[stem] ?? '')) continue;
    const isPair = sideOf(bone.name) !== '';
    if (!seen.has(stem) || !isPair) seen.set(stem, { name: stem, label: bone.label.replace(/,? \(?(left|right)\)?$/i, '') });
  }
  return [...seen.values()];
}

export function BonesPanel() {
  const edits = store.edits.value;
  const { bones } = store.catalogue.value!;
  return (
    <>
      <p class="hint">Drag the handles in the picture, or use the sliders. Flesh and skin follow.</p>
      <Section title="Whole body">
        <WholeBodySlider target="stature" testid="bone-stature" label="Stature" />
      </Section>
      <Section title="Limbs and trunk">
        {rows(bones, store.isSymmetric.value).map((bone) => {
          const value = ownValue(edits, 'bone', bone.name) ?? 1;
          return (
            <Slider
              key={bone.name}
              testid={`bone-${bone.name}`}
              label={bone.label}
              fullLabel={`${bone.label}: length`}
              value={value}
              range={boneRange()}
              step={0.005}
              neutral={1}
              text={growth(value)}
              isSet={ownValue(edits, 'bone', bone.name) !== undefined}
              onValue={(v, dragging) => session.editPart('bone', bone.name, v, dragging)}
              onReset={() => session.editPart('bone', bone.name, null, false)}
            />
          );
        })}
      </Section>
    </>
  );
}
