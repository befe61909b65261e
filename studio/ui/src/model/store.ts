// What the page knows, as signals: components that read one are drawn again when it changes.
import { computed, signal } from '@preact/signals';
import type { ConnectionStatus } from '../protocol/connection';
import type { Catalogue, DocumentState, ErrorParts, LayerName, Measures, ProgressEvent } from '../protocol/types';
import { PendingEdits } from './edit_queue';

export type TabName = 'start' | 'muscles' | 'fat' | 'bones' | 'motion' | 'contract' | 'forces';
export type Theme = 'dark' | 'light';

export interface Toast {
  id: number;
  level: 'info' | 'warning' | 'error';
  text: string;
  remedy?: string;
  action?: { label: string; run(): void };
}

export const status = signal<ConnectionStatus>('connecting');
export const retryInMs = signal(0);
export const catalogue = signal<Catalogue | null>(null);
export const documentState = signal<DocumentState | null>(null);
export const jobs = signal<ReadonlyMap<number | string, ProgressEvent>>(new Map());
export const toasts = signal<readonly Toast[]>([]);
/** What a screen reader should say next. */
export const announcement = signal('');

export const tab = signal<TabName>('start');
export const theme = signal<Theme>('dark');
export const isSymmetric = signal(true);
/** 0: skin, 1: muscles and bones. */
export const fade = signal(0);
/** What the fade reveals under the skin. */
export const insideLayers = signal<ReadonlySet<LayerName>>(new Set<LayerName>(['muscles', 'bones']));
export const isComparing = signal(false);
export const divider = signal(0.5);
export const showsMeasures = signal(true);
export const selectedMuscle = signal<string | null>(null);
export const hasPicture = signal(false);
/** The page stands around the picture; at first there is the picture alone. */
export const isPageWhole = signal(false);
/** Muscles may be clicked soon, through the skin too, so their shapes are needed. */
export const wantsPicking = signal(false);

export interface Brush {
  isOn: boolean;
  erases: boolean;
  radius_m: number;
  strength: number;
  /** How many times its volume the fat becomes where the map is full. */
  amount: number;
}
export const brush = signal<Brush>({ isOn: false, erases: false, radius_m: 0.08, strength: 0.4, amount: 2 });

export const pose = signal<Readonly<Record<string, number[]>>>({});
export const activations = signal<Readonly<Record<string, number>>>({});

/** The model whose forces are plotted: a file of the workspace, or none: this body. */
export const forcesModel = signal('');

export const pendingEdits = new PendingEdits();
const pendingVersion = signal(0);
/** Call after a change of pendingEdits. */
export function touchPendingEdits(): void {
  pendingVersion.value += 1;
}
export const edits = computed(() => {
  pendingVersion.value;
  return pendingEdits.over(documentState.value?.edits ?? {});
});

/** Measures of the last revisions, for the small plots. */
export const measureHistory = signal<readonly Measures[]>([]);
const HISTORY_LENGTH = 40;
export function rememberMeasures(measures: Measures): void {
  measureHistory.value = [...measureHistory.value, measures].slice(-HISTORY_LENGTH);
}

let nextToastId = 1;
export function addToast(toast: Omit<Toast, 'id'>): number {
  const id = nextToastId++;
  toasts.value = [...toasts.value.filter((t) => t.text !== toast.text), { id, ...toast }].slice(-4);
  if (toast.level !== 'error') setTimeout(() => removeToast(id), 6000);
  return id;
}
export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}
export function addErrorToast(error: ErrorParts): void {
  const what = error.needs ? `${error.found}; needs ${error.needs}` : error.found;
  addToast({ level: 'error', text: error.where ? `${error.where}: ${what}` : what, remedy: error.remedy });
}

export function announce(text: string): void {
  announcement.value = text;
}
