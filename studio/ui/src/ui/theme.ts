// Dark or light: what the system prefers until the person chooses; remembered.
import { effect } from '@preact/signals';
import * as store from '../model/store';

const KEY = 'sinew-studio-theme';
const BACKDROPS: Record<store.Theme, [string, string]> = { dark: ['#3d4450', '#14171c'], light: ['#ffffff', '#c9cfd8'] };

export function watchTheme(setBackdrop: (inner: string, outer: string) => void): void {
  const saved = localStorage.getItem(KEY);
  const prefersLight = window.matchMedia('(prefers-color-scheme: light)');
  store.theme.value = saved === 'light' || saved === 'dark' ? saved : prefersLight.matches ? 'light' : 'dark';
  const initial = store.theme.value;
  effect(() => {
    const theme = store.theme.value;
    document.documentElement.dataset.theme = theme;
    if (theme !== initial || saved) localStorage.setItem(KEY, theme);
    setBackdrop(...BACKDROPS[theme]);
  });
}
