// Puts the page together: picture, panels, keys, files dropped on it.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { downloadBlob } from './model/files';
import { readable } from './model/format';
import * as store from './model/store';
import { documentHasBody, session } from './session';
import { boneRange } from './ui/panels/bones_panel';
import { App, hovered, isDropping, type AppActions } from './ui/app';
import { watchKeys } from './ui/keys';
import { watchTheme } from './ui/theme';
import { BodyView } from './view/body_view';
import type { HandleSpec } from './view/handles';
import './styles.css';

/** The picture may stand alone for so long. */
const LONGEST_ALONE_MS = 1500;

const canvas = makeCanvas();
let view: BodyView;

function makeCanvas(): HTMLCanvasElement {
  const made = document.createElement('canvas');
  made.tabIndex = 0;
  made.dataset.testid = 'canvas';
  made.setAttribute('role', 'img');
  made.setAttribute('aria-label', 'The body. Arrow keys turn it, plus and minus zoom, F brings it back.');
  made.addEventListener('keydown', turnByKey);
  return made;
}

function turnByKey(event: KeyboardEvent): void {
  const turn: Record<string, [number, number, number]> = {
    ArrowLeft: [-0.12, 0, 1],
    ArrowRight: [0.12, 0, 1],
    ArrowUp: [0, -0.08, 1],
    ArrowDown: [0, 0.08, 1],
    '+': [0, 0, 0.9],
    '=': [0, 0, 0.9],
    '-': [0, 0, 1.1],
  };
  const nudge = turn[event.key];
  if (!nudge || event.ctrlKey) return;
  event.preventDefault();
  view.stage.nudge(...nudge);
}

function pick(accept: string, multiple: boolean, take: (files: File[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = accept;
  input.multiple = multiple;
  input.onchange = () => take([...(input.files ?? [])]);
  input.click();
}
const pickFiles = (accept: string) => pick(accept, true, (files) => void session.openFiles(files));
const pickFile = (accept: string, take: (file: File) => void) => pick(accept, false, ([file]) => file && take(file));

const actions: AppActions = {
  pickFiles,
  pickFile,
  takePicture: () => void view.stage.snapshot().then((blob) => downloadBlob(blob, 'body.png')),
  focusMuscle: (name) => view.focusPart(name),
  look: (name) => view.look(name),
};

let valueAtStart = 1;
function dragHandle(handle: HandleSpec, factor: number, phase: 'start' | 'move' | 'end'): void {
  const edits = store.edits.value;
  if (handle.bone === null) {
    if (phase === 'start') valueAtStart = store.documentState.value!.measures.stature_m;
    else session.edit([{ target: 'stature', value: clamped(valueAtStart * factor, store.catalogue.value?.ranges.stature ?? [1.2, 2.3]) }], phase === 'move');
    return;
  }
  if (phase === 'start') {
    const stem = handle.bone.replace(/_[lr]$/, '');
    const value = edits[`bone:${handle.bone}`] ?? edits[`bone:${stem}`];
    valueAtStart = typeof value === 'number' ? value : 1;
  } else {
    session.editPart('bone', handle.bone, clamped(valueAtStart * factor, boneRange()), phase === 'move');
  }
}

function clamped(value: number, [low, high]: [number, number]): number {
  return Math.round(1000 * Math.min(high, Math.max(low, value))) / 1000;
}

/** Sends a command at most once per animation frame, with what is newest then; nothing before the person changed it. */
function follow<T>(read: () => T, isIdle: (value: T) => boolean, send: (value: T) => void): void {
  let isScheduled = false;
  let wasIdle = true;
  effect(() => {
    const value = read();
    if (isIdle(value) && wasIdle) return;
    wasIdle = isIdle(value);
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      const now = read();
      if (!isIdle(now)) send(now);
    });
  });
}

function connectSignals(): void {
  effect(() => view.setFade(store.fade.value));
  effect(() => view.setInside(store.insideLayers.value));
  effect(() => view.setCompare(store.isComparing.value ? store.divider.value : null));
  effect(() => view.setSelected(store.selectedMuscle.value));
  effect(() => {
    const isPainting = store.tab.value === 'fat' && store.brush.value.isOn;
    view.setBrush(isPainting ? store.brush.value : null, store.isSymmetric.value);
    view.setShowsPaint(store.tab.value === 'fat' && (isPainting || (store.documentState.value?.painted ?? false)));
    canvas.classList.toggle('painting', isPainting);
  });
  effect(() => {
    const showsHandles = store.tab.value === 'bones' && store.hasPicture.value && documentHasBody();
    view.setHandles(showsHandles ? store.catalogue.value : null, store.documentState.value?.joints);
  });
  const isEmpty = (o: object) => Object.keys(o).length === 0;
  follow(() => store.pose.value, isEmpty, (joints) => void session.command('pose', { joints }));
  follow(() => store.activations.value, isEmpty, (activations) => void session.command('contract', { activations }));
}

function watchDrops(): void {
  let depth = 0;
  const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragenter', (event) => {
    if (!isFiles(event)) return;
    depth += 1;
    isDropping.value = true;
  });
  window.addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) isDropping.value = false;
  });
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    isDropping.value = false;
    void session.openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}

// On narrow screens the measures would lie over the picture: there they come when asked for.
const narrow = window.matchMedia('(max-width: 1000px)');
store.showsMeasures.value = !narrow.matches;
narrow.addEventListener('change', () => (store.showsMeasures.value = !narrow.matches));
// The context of the picture takes most of a second where there is no graphics card. It is made while the server sends the
// body, and before the page around it is painted, which would keep the graphics busy.
await session.connect();
try {
  view = new BodyView(canvas, {
    onFirstPicture: () => {
      store.isPageWhole.value = true;
      void session.command('shown');
    },
    onPick: (part) => {
      if (part?.kind === 'muscle') {
        store.selectedMuscle.value = part.name;
        if (store.tab.value !== 'contract') store.tab.value = 'muscles';
        store.announce(`Selected ${readable(part.name)}`);
      } else if (part === null) {
        store.selectedMuscle.value = null;
      }
    },
    onHover: (part, x, y) => {
      hovered.value = part ? { text: labelOf(part.name), x, y } : null;
    },
    onEnter: () => (store.wantsPicking.value = true),
    onStroke: (painted, count, end) => session.paint(painted, count, end),
    onHandle: dragHandle,
  });
} catch (error) {
  const root = document.getElementById('root')!;
  root.className = 'no-picture';
  root.textContent = 'This browser cannot draw in three dimensions (WebGL 2). Switch on hardware acceleration in its settings, or use another browser.';
  throw error;
}

function labelOf(name: string): string {
  return store.catalogue.value?.muscles.find((m) => m.name === name)?.label || readable(name);
}

store.isPageWhole.value = !(await session.firstFrame());
setTimeout(() => (store.isPageWhole.value = true), LONGEST_ALONE_MS);
render(<App canvas={canvas} actions={actions} />, document.getElementById('root')!);
view.stage.occupy(canvas.parentElement!);
watchTheme((inner, outer) => view.stage.setBackground(inner, outer));
watchKeys({ frame: () => view.look('three-quarter') });
watchDrops();
connectSignals();
session.start(view);

declare global {
  interface Window {
    /** For end-to-end tests: what the picture holds, which pixels alone do not say. */
    studio: { view: BodyView; store: typeof store };
  }
}
window.studio = { view, store };
