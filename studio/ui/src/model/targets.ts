// Targets of edits ("muscle:biceps_l"): sides, symmetry, and which of several values applies to a muscle.
import type { Change, EditValue, Muscle, Side } from '../protocol/types';

export type TargetKind = 'muscle' | 'fat' | 'bone';
export type Edits = Record<string, number | boolean>;

export function targetOf(kind: TargetKind, name: string): string {
  return `${kind}:${name}`;
}

export function sideOf(name: string): Side {
  if (name.endsWith('_l')) return 'l';
  if (name.endsWith('_r')) return 'r';
  return '';
}

/** "biceps_l" and "biceps_r" have the stem "biceps"; names of the middle are their own. */
export function stemOf(name: string): string {
  return sideOf(name) === '' ? name : name.slice(0, -2);
}

/** The same place on the other side of the body, or the name itself in the middle. */
export function mirrored(name: string): string {
  const side = sideOf(name);
  return side === '' ? name : `${stemOf(name)}_${side === 'l' ? 'r' : 'l'}`;
}

function numberAt(edits: Edits, target: string): number | undefined {
  const value = edits[target];
  return typeof value === 'number' ? value : undefined;
}

/** Value that a name has: its own, or that of both sides. */
export function ownValue(edits: Edits, kind: TargetKind, name: string): number | undefined {
  return numberAt(edits, targetOf(kind, name)) ?? numberAt(edits, targetOf(kind, stemOf(name)));
}

/** Growth that acts on a muscle: its own value, else its group's on that side, its group's, that of all, else 1. */
export function muscleValue(edits: Edits, muscle: Pick<Muscle, 'name' | 'group'>): number {
  const side = sideOf(muscle.name);
  const groupOnSide = side ? `${muscle.group}_${side}` : muscle.group;
  return (
    ownValue(edits, 'muscle', muscle.name) ??
    ownValue(edits, 'muscle', groupOnSide) ??
    numberAt(edits, 'muscle:all') ??
    1
  );
}

/** Growth of a group: its own value, else that of all, else 1. */
export function groupValue(edits: Edits, group: string): number {
  return ownValue(edits, 'muscle', group) ?? numberAt(edits, 'muscle:all') ?? 1;
}

/**
 * Changes that set `name` to `value`. Symmetric: both sides at once, and values of single sides, which would win over it, go.
 * Else one side: when both had a common value, the other side keeps it.
 */
export function changesFor(
  kind: TargetKind,
  name: string,
  value: EditValue,
  options: { symmetric: boolean; edits: Edits },
): Change[] {
  const { symmetric, edits } = options;
  const stem = stemOf(name);
  const both = targetOf(kind, stem);
  const left = targetOf(kind, `${stem}_l`);
  const right = targetOf(kind, `${stem}_r`);
  if (symmetric || sideOf(name) === '') {
    const changes: Change[] = [{ target: both, value }];
    for (const side of [left, right]) if (side in edits) changes.push({ target: side, value: null });
    return changes;
  }
  const target = targetOf(kind, name);
  const changes: Change[] = [];
  const common = numberAt(edits, both);
  if (common !== undefined) {
    const other = targetOf(kind, mirrored(name));
    changes.push({ target: both, value: null });
    if (!(other in edits)) changes.push({ target: other, value: common });
  }
  changes.push({ target, value });
  return changes;
}
