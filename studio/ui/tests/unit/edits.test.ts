import { describe, expect, it } from 'vitest';
import { EditQueue, PendingEdits } from '../../src/model/edit_queue';
import { changesFor, groupValue, mirrored, muscleValue, stemOf } from '../../src/model/targets';
import type { Change } from '../../src/protocol/types';

function makeQueue() {
  const sent: { changes: Change[]; dragging: boolean }[] = [];
  const refused: Change[][] = [];
  const frames: (() => void)[] = [];
  const state = { isOpen: true, refuses: false };
  const queue = new EditQueue({
    send: (changes, dragging) => {
      sent.push({ changes, dragging });
      return state.refuses ? Promise.reject(new Error('no')) : Promise.resolve();
    },
    isOpen: () => state.isOpen,
    schedule: (run) => frames.push(run),
    onRefused: (changes) => refused.push(changes),
  });
  return { queue, sent, refused, state, nextFrame: () => frames.splice(0).forEach((run) => run()) };
}

describe('the queue of edits', () => {
  it('sends the newest value once per frame', () => {
    const { queue, sent, nextFrame } = makeQueue();
    for (const value of [1.1, 1.2, 1.3]) queue.push([{ target: 'muscle:biceps', value }], true);
    expect(sent).toHaveLength(0);
    nextFrame();
    nextFrame();
    expect(sent).toEqual([{ changes: [{ target: 'muscle:biceps', value: 1.3 }], dragging: true }]);
  });

  it('ends a drag even when its end falls into the same frame', () => {
    const { queue, sent, nextFrame } = makeQueue();
    queue.push([{ target: 'stature', value: 1.8 }], true);
    queue.push([{ target: 'stature', value: 1.81 }], false);
    nextFrame();
    expect(sent).toEqual([{ changes: [{ target: 'stature', value: 1.81 }], dragging: false }]);
  });

  it('keeps edits until there is a connection', () => {
    const { queue, sent, state, nextFrame } = makeQueue();
    state.isOpen = false;
    queue.push([{ target: 'gravity', value: true }], false);
    nextFrame();
    expect(sent).toHaveLength(0);
    state.isOpen = true;
    queue.flush();
    expect(sent).toHaveLength(1);
  });

  it('hands refused edits back', async () => {
    const { queue, refused, state, nextFrame } = makeQueue();
    state.refuses = true;
    queue.push([{ target: 'muscle:nobody', value: 2 }], false);
    nextFrame();
    await Promise.resolve();
    await Promise.resolve();
    expect(refused).toEqual([[{ target: 'muscle:nobody', value: 2 }]]);
  });
});

describe('edits that are not confirmed', () => {
  it('hide older states of the server while the finger is down', () => {
    const pending = new PendingEdits(() => 0);
    pending.set([{ target: 'muscle:biceps', value: 1.4 }], true);
    expect(pending.over({ 'muscle:biceps': 1.1 })).toEqual({ 'muscle:biceps': 1.4 });
  });

  it('give way once confirmed, or when the server says otherwise for long', () => {
    let now = 0;
    const pending = new PendingEdits(() => now, 1000);
    pending.set([{ target: 'a', value: 2 }, { target: 'b', value: null }], false);
    expect(pending.over({ a: 1, b: 5 })).toEqual({ a: 2 });
    expect(pending.over({ a: 2 })).toEqual({ a: 2 });
    expect(pending.over({ a: 3 })).toEqual({ a: 3 });
    pending.set([{ target: 'a', value: 4 }], false);
    now = 1001;
    expect(pending.over({ a: 3 })).toEqual({ a: 3 });
  });
});

describe('targets', () => {
  it('know sides', () => {
    expect(stemOf('biceps_l')).toBe('biceps');
    expect(stemOf('pelvis')).toBe('pelvis');
    expect(mirrored('biceps_l')).toBe('biceps_r');
    expect(mirrored('pelvis')).toBe('pelvis');
  });

  it('set both sides at once when symmetric, and forget values of one side', () => {
    const edits = { 'muscle:biceps_r': 1.2 };
    expect(changesFor('muscle', 'biceps_l', 1.5, { symmetric: true, edits })).toEqual([
      { target: 'muscle:biceps', value: 1.5 },
      { target: 'muscle:biceps_r', value: null },
    ]);
  });

  it('leave the other side as it is when not symmetric', () => {
    expect(changesFor('muscle', 'biceps_l', 1.5, { symmetric: false, edits: { 'muscle:biceps': 1.3 } })).toEqual([
      { target: 'muscle:biceps', value: null },
      { target: 'muscle:biceps_r', value: 1.3 },
      { target: 'muscle:biceps_l', value: 1.5 },
    ]);
  });

  it('find the value that acts on a muscle: its own, its group on that side, its group, all', () => {
    const muscle = { name: 'brachialis_l', group: 'biceps' };
    expect(muscleValue({}, muscle)).toBe(1);
    expect(muscleValue({ 'muscle:all': 1.1 }, muscle)).toBe(1.1);
    expect(muscleValue({ 'muscle:all': 1.1, 'muscle:biceps': 1.2 }, muscle)).toBe(1.2);
    expect(muscleValue({ 'muscle:biceps': 1.2, 'muscle:biceps_l': 1.3 }, muscle)).toBe(1.3);
    expect(muscleValue({ 'muscle:biceps_l': 1.3, 'muscle:brachialis': 1.4 }, muscle)).toBe(1.4);
    expect(groupValue({ 'muscle:all': 1.1 }, 'biceps')).toBe(1.1);
  });
});
