import { useEffect, useState } from 'preact/hooks';
import { degrees, readable } from '../../model/format';
import { listFiles } from '../../model/files';
import { matches } from '../../model/search';
import * as store from '../../model/store';
import { mirrored } from '../../model/targets';
import type { Joint } from '../../protocol/types';
import { session } from '../../session';
import { Button, Search, Section, Slider, Switch } from '../controls';

const MAIN_JOINTS = /^(shoulder|elbow|wrist|hip|knee|ankle|neck|head|lumbar|thoracic|spine|back|temporomandibular|forearm)/;
/** Fewer than this are all shown; of more, only the main ones until one is searched. */
const FEW_JOINTS = 30;
const DOF_NAMES = ['bend', 'sideways', 'twist'];

export function MotionPanel({ pickFiles }: { pickFiles(accept: string): void }) {
  const state = store.documentState.value!;
  const { motions } = store.catalogue.value!;
  const [loop, setLoop] = useState(true);
  const [files, setFiles] = useState<string[]>([]);
  const revision = store.toasts.value.length;
  useEffect(() => {
    listFiles()
      .then((all) => setFiles(all.map((f) => f.name).filter((n) => /\.bvh$/i.test(n))))
      .catch(() => setFiles([]));
  }, [revision]);
  const names = [...new Set([...motions, ...files])];
  const isMoving = state.mode === 'play' || state.mode === 'jump';
  return (
    <>
      <Section title="Gravity">
        <Switch
          testid="gravity"
          label="Let the flesh hang"
          on={store.edits.value.gravity === true}
          onToggle={(on) => session.edit([{ target: 'gravity', value: on ? true : null }], false)}
        />
        <Button testid="jump" label="Jump" icon="jump" wide onClick={() => void session.command('jump')} />
      </Section>
      <Section
        title="Motions"
        aside={<Switch testid="motion-loop" label="Repeat" on={loop} onToggle={setLoop} />}
      >
        <div class="chips">
          {names.map((name) => (
            <Button key={name} testid={`play-${name}`} label={readable(name.replace(/\.bvh$/i, ''))} icon="play" wide
              hint={`Play ${name}`} onClick={() => void session.command('play', { file: name, loop })} />
          ))}
          <Button testid="motion-open" label="Open BVH…" icon="open" wide onClick={() => pickFiles('.bvh')} />
        </div>
        <Button testid="motion-stop" label="Stop, stand still" icon="stop" wide disabled={state.mode === 'rest'} onClick={() => void stop()} />
        {isMoving && <p class="hint" role="status">{state.mode === 'jump' ? 'Jumping…' : 'Playing…'}</p>}
      </Section>
      <PoseSection />
    </>
  );
}

async function stop(): Promise<void> {
  store.pose.value = {};
  store.activations.value = {};
  await session.command('stop');
}

function PoseSection() {
  const [query, setQuery] = useState('');
  const { joints } = store.catalogue.value!;
  const isPosed = Object.keys(store.pose.value).length > 0;
  const found = joints.filter((j) => j.axes.length > 0 && (query ? matches(query, j.label, j.name) : joints.length <= FEW_JOINTS || MAIN_JOINTS.test(j.name)));
  const shown = store.isSymmetric.value ? found.filter((j) => !j.name.endsWith('_r')) : found;
  return (
    <Section
      title="Pose"
      aside={<Button testid="pose-reset" label="Straighten" disabled={!isPosed} onClick={() => void stop()} />}
    >
      <Search testid="joint-search" label="Find a joint" value={query} onValue={setQuery} />
      {shown.map((joint) => (
        <JointSliders key={joint.name} joint={joint} />
      ))}
    </Section>
  );
}

function JointSliders({ joint }: { joint: Joint }) {
  const label = store.isSymmetric.value ? joint.label.replace(/,? \(?(left|right)\)?$/i, '') : joint.label;
  return (
    <>
      {joint.limits_deg.map((limits, axis) => {
        const value = store.pose.value[joint.name]?.[axis] ?? 0;
        const dof = joint.motions?.[axis]?.replace(/_/g, ' ') ?? (joint.limits_deg.length > 1 ? (DOF_NAMES[axis] ?? '') : 'bend');
        const title = `${label}, ${dof}`;
        return (
          <Slider
            key={axis}
            testid={`joint-${joint.name}-${axis}`}
            label={title}
            value={value}
            range={limits[0] < limits[1] ? limits : [-90, 90]}
            step={1}
            neutral={0}
            text={degrees(value)}
            isSet={value !== 0}
            onValue={(v) => setJoint(joint, axis, v)}
            onReset={() => setJoint(joint, axis, 0)}
          />
        );
      })}
    </>
  );
}

function setJoint(joint: Joint, axis: number, value: number): void {
  const names = store.isSymmetric.value ? [joint.name, mirrored(joint.name)] : [joint.name];
  const pose = { ...store.pose.value };
  for (const name of names) {
    if (!store.catalogue.value!.joints.some((j) => j.name === name)) continue;
    const angles = [...(pose[name] ?? [0, 0, 0])];
    angles[axis] = value;
    pose[name] = angles;
  }
  store.pose.value = pose;
}
