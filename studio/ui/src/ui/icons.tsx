// Line icons, drawn on a grid of 24.
const PATHS: Record<string, string> = {
  start: 'M12 3l2.4 5.6 6 .5-4.6 4 1.4 5.9-5.2-3.2L6.8 19l1.4-5.9-4.6-4 6-.5z',
  muscles: 'M4 15c0-5 2-9 5-9 2 0 2 2 1 4 3-2 10-1 10 4 0 4-4 5-8 5s-8 0-8-4zM10 10c1 1 1 3 0 4',
  fat: 'M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11zM9 14a3 3 0 0 0 3 3',
  bones: 'M8.5 15.5l7-7M6 13a2.5 2.5 0 1 0-.5 4.5A2.5 2.5 0 1 0 10 17M14 7a2.5 2.5 0 1 1 4.5-.5A2.5 2.5 0 1 1 18 11',
  motion: 'M13 4.5a1.5 1.5 0 1 0 .01 0M7 21l3-5-1-4 3-4 3 3 3 1M9 12l-3 1-2 3M12 14l3 2 1 5',
  contract: 'M3 12h5l2-6 4 12 2-6h5',
  forces: 'M4 4v16h16M7 16c3 0 4-9 7-9s3 5 6 5',
  undo: 'M9 7L4 11l5 4M4 11h9a6 6 0 0 1 0 12h-2',
  redo: 'M15 7l5 4-5 4M20 11h-9a6 6 0 0 0 0 12h2',
  reset: 'M5 12a7 7 0 1 0 2-5M5 4v4h4',
  compare: 'M12 3v18M4 6h5v12H4zM15 6h5v12h-5z',
  layers: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  save: 'M12 3v12m0 0l-4-4m4 4l4-4M4 17v3h16v-3',
  open: 'M12 15V3m0 0L8 7m4-4l4 4M4 17v3h16v-3',
  camera: 'M4 7h4l2-2h4l2 2h4v12H4zM12 10a3.5 3.5 0 1 0 .01 0',
  sun: 'M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  moon: 'M20 14a8 8 0 1 1-9-11 6.5 6.5 0 0 0 9 11z',
  ruler: 'M3 16L16 3l5 5L8 21zM7 12l2 2M10 9l3 3M13 6l2 2',
  help: 'M12 3a9 9 0 1 0 .01 0M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7M12 17v.01',
  close: 'M6 6l12 12M18 6L6 18',
  play: 'M7 4l13 8-13 8z',
  stop: 'M6 6h12v12H6z',
  jump: 'M12 3v12M7 8l5-5 5 5M5 21h14',
  search: 'M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5L21 21',
  focus: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 10a2 2 0 1 0 .01 0',
  mirror: 'M12 3v18M9 7l-5 5 5 5M15 7l5 5-5 5',
  gravity: 'M12 4v13M7 12l5 5 5-5M5 21h14',
};

export function Icon({ name }: { name: keyof typeof PATHS | string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}
