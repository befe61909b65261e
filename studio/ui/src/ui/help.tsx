import { useEffect, useRef } from 'preact/hooks';

const KEYS: [string, string][] = [
  ['Drag', 'turn the body; two fingers or the right button move it'],
  ['Wheel, pinch', 'nearer and further'],
  ['Click', 'choose a muscle, through the skin too'],
  ['Ctrl+Z, Ctrl+Y', 'undo, redo'],
  ['1 to 7', 'the tabs at the left'],
  ['C', 'before and after'],
  ['X', 'skin or écorché'],
  ['F', 'the whole body in view'],
  ['Arrows, + −', 'turn and zoom, when the picture has the focus'],
  ['?', 'this help'],
];

export function HelpDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Help" data-testid="help-dialog" onClose={onClose}>
      <h2>How it works</h2>
      <p>Pick a recipe under Start, then shape muscles, fat and bones. Drop a file on the page to open it. Everything can be undone.</p>
      <dl class="facts">
        {KEYS.map(([key, what]) => [<dt key={key}>{key}</dt>, <dd key={what}>{what}</dd>])}
      </dl>
      <button type="button" class="button primary" data-testid="help-close" aria-label="Close help" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
