// A button with a list below it: arrows move, Escape and clicks elsewhere close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons';

export interface MenuProps {
  testid: string;
  label: string;
  icon: string;
  wide?: boolean;
  /** Content, given a function that closes the menu. */
  children(close: () => void): ComponentChildren;
}

export function Menu(props: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('.popover button, .popover input')?.focus();
    const closeOutside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') {
      setOpen(false);
      button.current?.focus();
      event.stopPropagation();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const items = [...box.current!.querySelectorAll<HTMLElement>('.popover button, .popover input')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={`button ${props.wide ? '' : 'icon-only'}`}
        aria-label={props.label}
        title={props.label}
        aria-haspopup="true"
        aria-expanded={isOpen}
        data-testid={props.testid}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={props.icon} />
        {props.wide && <span>{props.label}</span>}
      </button>
      {isOpen && (
        <div class="popover" role="group" aria-label={props.label}>
          {props.children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}
