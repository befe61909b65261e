import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import * as store from '../model/store';
import { documentHasBody } from '../session';
import type { ViewName } from '../view/stage';
import { HelpDialog } from './help';
import { Icon } from './icons';
import { MeasuresPanel } from './measures_panel';
import { ConnectionBanner, Jobs, Toasts, Waiting } from './notices';
import { BonesPanel } from './panels/bones_panel';
import { ContractPanel } from './panels/contract_panel';
import { FatPanel } from './panels/fat_panel';
import { ForcesPanel } from './panels/forces_panel';
import { MotionPanel } from './panels/motion_panel';
import { MusclesPanel } from './panels/muscles_panel';
import { StartPanel } from './panels/start_panel';
import { CrossFade, Divider, ViewButtons } from './stage_overlay';
import { TopBar, type TopBarActions } from './top_bar';

export interface AppActions extends Omit<TopBarActions, 'showHelp'> {
  focusMuscle(name: string): void;
  pickFile(accept: string, take: (file: File) => void): void;
  look(view: ViewName): void;
}

export const hovered = signal<{ text: string; x: number; y: number } | null>(null);
export const isDropping = signal(false);
export const showsHelp = signal(false);

const TABS: { name: store.TabName; label: string; title: string }[] = [
  { name: 'start', label: 'Start', title: 'Make a body' },
  { name: 'muscles', label: 'Muscles', title: 'Muscles' },
  { name: 'fat', label: 'Fat', title: 'Fat' },
  { name: 'bones', label: 'Bones', title: 'Bones' },
  { name: 'motion', label: 'Motion', title: 'Pose and motion' },
  { name: 'contract', label: 'Contract', title: 'Contract muscles' },
  { name: 'forces', label: 'Forces', title: 'Muscle forces' },
];

/** The canvas is older than the page around it: its context takes a while to make. */
function Picture({ canvas }: { canvas: HTMLCanvasElement }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current!.append(canvas), [canvas]);
  return <div class="picture" ref={place} />;
}

export function App({ canvas, actions }: { canvas: HTMLCanvasElement; actions: AppActions }) {
  // Until the first picture is drawn there are empty places only: to paint the panels would keep it waiting.
  const isWhole = store.isPageWhole.value;
  return (
    <div class={`app ${store.showsMeasures.value ? 'with-measures' : ''}`}>
      {isWhole ? <TopBar {...actions} showHelp={() => (showsHelp.value = true)} /> : <header class="top-bar" />}
      <ConnectionBanner />
      <main>
        {isWhole ? <TabRail /> : <div class="rail" />}
        {isWhole ? <Panel actions={actions} /> : <div class="panel" />}
        <div class="stage" data-testid="stage">
          <Picture canvas={canvas} />
          {isWhole && (
            <>
              <Divider />
              <ViewButtons look={actions.look} />
              <CrossFade />
              <ModeBadge />
              <Waiting />
              <Jobs />
            </>
          )}
          {hovered.value && (
            <span class="hover-name" style={{ left: `${hovered.value.x + 14}px`, top: `${hovered.value.y + 10}px` }}>{hovered.value.text}</span>
          )}
        </div>
        {store.showsMeasures.value && (isWhole ? <MeasuresPanel /> : <aside class="measures" />)}
      </main>
      {isDropping.value && <div class="drop-target" data-testid="drop-target">Drop a body, a mesh, a motion or a recipe</div>}
      <Toasts />
      {showsHelp.value && <HelpDialog onClose={() => (showsHelp.value = false)} />}
      <div class="sr-only" role="status" aria-live="polite" data-testid="announcement">{store.announcement.value}</div>
    </div>
  );
}

function TabRail() {
  const move = (event: KeyboardEvent) => {
    const step = ['ArrowDown', 'ArrowRight'].includes(event.key) ? 1 : ['ArrowUp', 'ArrowLeft'].includes(event.key) ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = TABS.findIndex((t) => t.name === store.tab.value);
    const next = TABS[(at + step + TABS.length) % TABS.length]!;
    store.tab.value = next.name;
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <div class="rail" role="tablist" aria-label="What to change" aria-orientation="vertical" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          type="button"
          key={tab.name}
          id={`tab-${tab.name}`}
          role="tab"
          aria-selected={store.tab.value === tab.name}
          aria-controls="panel"
          tabIndex={store.tab.value === tab.name ? 0 : -1}
          aria-label={tab.title}
          data-testid={`tab-${tab.name}`}
          onClick={() => (store.tab.value = tab.name)}
        >
          <Icon name={tab.name} />
          <span>{tab.label}</span>
        </button>
      ))}
    </div>
  );
}

function Panel({ actions }: { actions: AppActions }) {
  const tab = store.tab.value;
  const hasBody = store.catalogue.value !== null && documentHasBody();
  return (
    <div key={tab} class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} data-testid={`panel-${tab}`} tabIndex={-1}>
      <h2>{TABS.find((t) => t.name === tab)!.title}</h2>
      {!hasBody ? (
        <p class="hint">Waiting for the body…</p>
      ) : (
        <>
          {tab === 'start' && <StartPanel pickFile={actions.pickFile} />}
          {tab === 'muscles' && <MusclesPanel focus={actions.focusMuscle} />}
          {tab === 'fat' && <FatPanel />}
          {tab === 'bones' && <BonesPanel />}
          {tab === 'motion' && <MotionPanel pickFiles={actions.pickFiles} />}
          {tab === 'contract' && <ContractPanel />}
          {tab === 'forces' && <ForcesPanel pickFiles={actions.pickFiles} />}
        </>
      )}
    </div>
  );
}

const MODE_TEXT: Partial<Record<string, string>> = { pose: 'Posed', play: 'Playing', jump: 'Jumping', contract: 'Contracted' };

function ModeBadge() {
  const mode = store.documentState.value?.mode ?? 'rest';
  const text = MODE_TEXT[mode];
  return text ? <span class="mode-badge" data-testid="mode" role="status">{text}</span> : null;
}
