// Sliders, switches and buttons: each with a name for people, one for screen readers and one for tests.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Range } from '../protocol/types';
import { Icon } from './icons';

export interface SliderProps {
  testid: string;
  label: string;
  /** Said by screen readers where `label` is too short on its own. */
  fullLabel?: string;
  value: number;
  range: Range;
  step?: number;
  /** Where the slider's bar begins, and what the reset button means; the low end when absent. */
  neutral?: number;
  text: string;
  isSet?: boolean;
  disabled?: boolean;
  onValue(value: number, dragging: boolean): void;
  onReset?(): void;
}

export function Slider(props: SliderProps) {
  const id = useId();
  const [low, high] = props.range;
  const share = (x: number) => `${(100 * (Math.min(high, Math.max(low, x)) - low)) / (high - low)}%`;
  const zero = share(props.neutral ?? low);
  const at = share(props.value);
  const style = { '--from': props.value < (props.neutral ?? low) ? at : zero, '--to': props.value < (props.neutral ?? low) ? zero : at };
  const read = (event: Event) => Number((event.currentTarget as HTMLInputElement).value);
  return (
    <div class={`slider ${props.isSet ? 'is-set' : ''}`}>
      <label for={id}>{props.label}</label>
      <output for={id} data-testid={`${props.testid}-value`}>
        {props.text}
      </output>
      {props.onReset && (
        <button
          type="button"
          class="mini"
          disabled={!props.isSet}
          title={`Reset ${props.label}`}
          aria-label={`Reset ${props.fullLabel ?? props.label}`}
          data-testid={`${props.testid}-reset`}
          onClick={props.onReset}
        >
          <Icon name="reset" />
        </button>
      )}
      <input
        id={id}
        type="range"
        min={low}
        max={high}
        step={props.step ?? 0.01}
        value={props.value}
        disabled={props.disabled}
        style={style}
        data-testid={props.testid}
        aria-label={props.fullLabel ?? props.label}
        aria-valuetext={props.text}
        onInput={(e) => props.onValue(read(e), true)}
        onChange={(e) => props.onValue(read(e), false)}
      />
    </div>
  );
}

export interface ButtonProps {
  testid: string;
  label: string;
  icon?: string;
  /** Shows the label beside the icon; else the label is a tooltip. */
  wide?: boolean;
  pressed?: boolean;
  primary?: boolean;
  disabled?: boolean;
  hint?: string;
  onClick(): void;
}

export function Button(props: ButtonProps) {
  const showsLabel = props.wide || !props.icon;
  return (
    <button
      type="button"
      class={`button ${showsLabel ? '' : 'icon-only'} ${props.primary ? 'primary' : ''}`}
      data-testid={props.testid}
      aria-label={props.label}
      aria-pressed={props.pressed}
      title={props.hint ?? props.label}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      {props.icon && <Icon name={props.icon} />}
      {showsLabel && <span>{props.label}</span>}
    </button>
  );
}

export function Switch(props: { testid: string; label: string; on: boolean; hint?: string; onToggle(on: boolean): void }) {
  return (
    <label class="switch" title={props.hint}>
      <input
        type="checkbox"
        role="switch"
        checked={props.on}
        data-testid={props.testid}
        aria-label={props.label}
        onChange={(e) => props.onToggle(e.currentTarget.checked)}
      />
      <span class="track" aria-hidden="true" />
      <span>{props.label}</span>
    </label>
  );
}

export function Section(props: { title: string; children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <section class="section">
      <header>
        <h3>{props.title}</h3>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

export function Search(props: { testid: string; label: string; value: string; onValue(text: string): void }) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        placeholder={props.label}
        aria-label={props.label}
        value={props.value}
        data-testid={props.testid}
        onInput={(e) => props.onValue(e.currentTarget.value)}
      />
    </div>
  );
}
