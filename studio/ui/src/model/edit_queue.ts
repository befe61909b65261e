// Edits of sliders, gathered until the next animation frame; what the person sees wins over what the server last said.
import type { Change, EditValue } from '../protocol/types';

export interface EditQueueOptions {
  /** Sends the changes; resolves when the server answered. */
  send(changes: Change[], dragging: boolean): Promise<unknown>;
  isOpen(): boolean;
  /** requestAnimationFrame in the page. */
  schedule(run: () => void): void;
  /** Told when an answer came, so that a refused value can be taken back. */
  onRefused(changes: Change[], error: unknown): void;
}

export class EditQueue {
  private queued = new Map<string, EditValue>();
  private dragging = false;
  private isScheduled = false;

  constructor(private readonly options: EditQueueOptions) {}

  /** While `dragging`, only the newest value of each target in a frame is sent. */
  push(changes: readonly Change[], dragging: boolean): void {
    for (const { target, value } of changes) {
      this.queued.delete(target);
      this.queued.set(target, value);
    }
    this.dragging = dragging;
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.schedule(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  /** Sends what waits; without a connection it goes on waiting. */
  flush(): void {
    if (this.queued.size === 0 || !this.options.isOpen()) return;
    const changes = [...this.queued].map(([target, value]) => ({ target, value }));
    this.queued.clear();
    this.options.send(changes, this.dragging).catch((error: unknown) => this.options.onRefused(changes, error));
  }
}

/**
 * Values that the person set and the server has not confirmed yet. Without it a slider under the finger would jump back
 * to every state that was sent before the finger moved on.
 */
export class PendingEdits {
  private values = new Map<string, { value: EditValue; until: number }>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly patienceMs = 2500,
  ) {}

  set(changes: readonly Change[], held: boolean): void {
    const until = held ? Infinity : this.now() + this.patienceMs;
    for (const { target, value } of changes) this.values.set(target, { value, until });
  }

  drop(changes: readonly Change[]): void {
    for (const { target } of changes) this.values.delete(target);
  }

  clear(): void {
    this.values.clear();
  }

  /** Edits as shown: the server's, under those not confirmed. Confirmed and stale ones are forgotten. */
  over(edits: Record<string, number | boolean>): Record<string, number | boolean> {
    const shown = { ...edits };
    for (const [target, { value, until }] of this.values) {
      const isConfirmed = isSame(edits[target], value);
      if (until !== Infinity && (isConfirmed || this.now() > until)) {
        this.values.delete(target);
      } else if (value === null) {
        delete shown[target];
      } else {
        shown[target] = value;
      }
    }
    return shown;
  }
}

function isSame(a: number | boolean | undefined, b: EditValue): boolean {
  if (b === null) return a === undefined;
  return typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) < 1e-6 : a === b;
}
