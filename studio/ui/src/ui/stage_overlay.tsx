// What lies over the picture: cross-fade, views, the divider of before and after, the name under the pointer.
import * as store from '../model/store';
import type { ViewName } from '../view/stage';
import { Button } from './controls';

const VIEWS: { name: ViewName; label: string }[] = [
  { name: 'front', label: 'Front' },
  { name: 'three-quarter', label: '¾' },
  { name: 'left', label: 'Side' },
  { name: 'back', label: 'Back' },
];

export function CrossFade() {
  const fade = store.fade.value;
  const text = fade === 0 ? 'skin' : fade === 1 ? 'écorché' : `${Math.round(100 * fade)} % écorché`;
  return (
    <div class="cross-fade">
      <button type="button" data-testid="fade-skin" aria-label="Show skin" aria-pressed={fade === 0} onClick={() => (store.fade.value = 0)}>Skin</button>
      <input
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={fade}
        data-testid="fade"
        aria-label="Fade from skin to muscles and bones"
        aria-valuetext={text}
        style={{ '--from': '0%', '--to': `${100 * fade}%` }}
        onInput={(e) => (store.fade.value = Number(e.currentTarget.value))}
      />
      <button type="button" data-testid="fade-ecorche" aria-label="Show muscles and bones" aria-pressed={fade === 1} onClick={() => (store.fade.value = 1)}>Écorché</button>
    </div>
  );
}

export function ViewButtons({ look }: { look(view: ViewName): void }) {
  return (
    <div class="view-buttons" role="toolbar" aria-label="Camera">
      {VIEWS.map((view) => (
        <Button key={view.name} testid={`view-${view.name}`} label={view.label} hint={`Look from: ${view.name}`} onClick={() => look(view.name)} />
      ))}
    </div>
  );
}

export function Divider() {
  if (!store.isComparing.value) return null;
  const move = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).parentElement!.getBoundingClientRect();
    if (event.buttons & 1) store.divider.value = clamp((event.clientX - box.left) / box.width);
  };
  const press = (event: PointerEvent) => {
    try {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    } catch {
      /* a synthetic pointer */
    }
    event.preventDefault();
    (event.currentTarget as HTMLElement).focus();
  };
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -0.03 : event.key === 'ArrowRight' ? 0.03 : 0;
    if (step === 0) return;
    event.preventDefault();
    store.divider.value = clamp(store.divider.value + step);
  };
  const share = Math.round(100 * store.divider.value);
  return (
    <>
      <span class="compare-label before" style={{ right: `${100 - share}%` }}>Before</span>
      <span class="compare-label after" style={{ left: `${share}%` }}>After</span>
      <div
        class="divider"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label="Divider between before and after"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        data-testid="compare-divider"
        style={{ left: `${share}%` }}
        onPointerDown={press}
        onPointerMove={move}
        onKeyDown={key}
      >
        <span class="grip" aria-hidden="true" />
      </div>
    </>
  );
}

function clamp(x: number): number {
  return Math.min(0.97, Math.max(0.03, x));
}
