// Keys that work anywhere on the page, except where text is typed.
import * as store from '../model/store';
import { session } from '../session';
import { showsHelp } from './app';

const TABS: store.TabName[] = ['start', 'muscles', 'fat', 'bones', 'motion', 'contract', 'forces'];

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['range', 'checkbox'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

export function watchKeys(actions: { frame(): void }): void {
  window.addEventListener('keydown', (event) => {
    if (isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === 'z' && !event.shiftKey) void session.undo();
      else if (key === 'y' || (key === 'z' && event.shiftKey)) void session.redo();
      else return;
      event.preventDefault();
      return;
    }
    if (event.altKey) return;
    const tab = TABS[Number(key) - 1];
    if (tab) store.tab.value = tab;
    else if (key === 'c') store.isComparing.value = !store.isComparing.value;
    else if (key === 'x') store.fade.value = store.fade.value > 0.5 ? 0 : 1;
    else if (key === 'f') actions.frame();
    else if (key === '?') showsHelp.value = true;
    else if (key === 'escape') store.selectedMuscle.value = null;
    else return;
    event.preventDefault();
  });
}
