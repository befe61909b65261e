// The page's side of the conversation: what the person does becomes commands, what the server says becomes signals.
import { batch, effect } from '@preact/signals';
import { EditQueue } from './model/edit_queue';
import { downloadFile, upload } from './model/files';
import { fitFields, personText, type ScanOptions } from './model/scans';
import { bodyText } from './model/shapes';
import * as store from './model/store';
import { changesFor, type TargetKind } from './model/targets';
import { Connection, ConnectionLostError, RefusedError } from './protocol/connection';
import { decodeFrame, FrameKind } from './protocol/frames';
import { MESH, PROTOCOL_VERSION, type Answer, type Catalogue, type Change, type DocumentState, type EditValue, type LayerName, type ServerEvent } from './protocol/types';
import type { PaintedVertices } from './view/brush';
import type { BodyView } from './view/body_view';

/** Layers that the fade from skin to what is inside reveals. */
const PICKING_LAYERS: LayerName[] = ['skin', 'muscles', 'bones'];

const SILENT_JOB_MS = 6000;

interface PaintedMap {
  values: Float32Array;
  amount: number;
}

export class Session {
  private readonly connection: Connection;
  private readonly queue: EditQueue;
  private view: BodyView | null = null;
  private askedLayers = '';
  private hasPickingGeometry = false;
  /** Work that a server started anew has to be told, once it has a body. */
  private toRestore: { edits: Record<string, number | boolean>; paint: PaintedMap | null } | null = null;
  private readonly jobTimers = new Map<number | string, ReturnType<typeof setTimeout>>();
  private lastPaint: PaintedMap | null = null;
  /** Frames that came before there was a picture to show them in. */
  private early: ArrayBuffer[] = [];
  private whenOpen: () => void = () => {};
  private whenShown: () => void = () => {};

  constructor(url: string) {
    this.connection = new Connection(url, {
      onStatus: (status, retryInMs) => {
        store.status.value = status;
        store.retryInMs.value = retryInMs;
        if (status === 'lost') store.jobs.value = new Map();
      },
      onOpen: () => {
        void this.greet();
        this.whenOpen();
      },
      onEvent: (event) => this.receive(event),
      onBinary: (buffer) => this.receiveFrame(buffer),
    });
    this.queue = new EditQueue({
      send: (changes, dragging) => this.connection.send('edit', { changes, dragging }),
      isOpen: () => this.connection.isOpen,
      schedule: (run) => requestAnimationFrame(run),
      onRefused: (changes, error) => this.takeBack(changes, error),
    });
  }

  /** Resolves once the server has been asked for the body, and in any case soon. */
  connect(patienceMs = 150): Promise<void> {
    return new Promise((resolve) => {
      this.whenOpen = resolve;
      setTimeout(resolve, patienceMs);
      this.connection.open();
    });
  }

  /** Whether there is something to show; answered as soon as there is, and in any case soon after the page was opened. */
  firstFrame(patienceMs = 1400): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = () => resolve(this.early.length > 0);
      this.whenShown = answer;
      setTimeout(answer, Math.max(0, patienceMs - performance.now()));
      if (this.early.length > 0) answer();
    });
  }

  start(view: BodyView): void {
    this.view = view;
    if (store.catalogue.value) view.setCatalogue(store.catalogue.value);
    this.early.splice(0).forEach((buffer) => this.receiveFrame(buffer));
    effect(() => this.askForLayers());
    effect(() => {
      if (store.tab.value === 'muscles') store.wantsPicking.value = true;
    });
  }
  retryNow(): void {
    this.connection.retryNow();
  }

  private async greet(): Promise<void> {
    this.askedLayers = '';
    this.hasPickingGeometry = false;
    const known = store.documentState.value;
    const wanted = store.edits.value;
    const answer = await this.command('hello', { protocol: PROTOCOL_VERSION, draws: !store.hasPicture.value });
    if (!answer) return;
    const state = answer.state as DocumentState;
    this.setCatalogue(answer.catalogue as Catalogue);
    if (known && isAnotherServer(known, state)) this.toRestore = { edits: wanted, paint: this.lastPaint };
    this.setState(state);
    this.askForLayers();
    this.queue.flush();
  }

  /** The server started anew and knows nothing of our work: say it again, in one step. */
  private restore(): void {
    if (!this.toRestore || !documentHasBody()) return;
    const { edits, paint } = this.toRestore;
    this.toRestore = null;
    const changes = Object.entries(edits).map(([target, value]) => ({ target, value }));
    if (changes.length === 0 && !paint) return;
    if (changes.length > 0) this.edit(changes, false);
    if (paint) this.resendPaint(paint);
    store.addToast({ level: 'info', text: 'The server was started again; your changes were restored.' });
  }

  private resendPaint({ values, amount }: PaintedMap): void {
    const vertices: number[] = [];
    values.forEach((value, v) => value > 0 && vertices.push(v));
    void this.command('paint', { vertices, values: vertices.map((v) => values[v]), amount, end: true, count: values.length });
  }

  // ---- what the server says ------------------------------------------------------------------------------------

  private setCatalogue(catalogue: Catalogue): void {
    store.catalogue.value = catalogue;
    this.view?.setCatalogue(catalogue);
  }

  private setState(state: DocumentState): void {
    batch(() => {
      const last = store.documentState.value;
      store.documentState.value = state;
      store.touchPendingEdits();
      if (state.measures && state.revision !== last?.revision) store.rememberMeasures(state.measures);
      if (state.mode === 'rest' && last && last.mode !== 'rest') {
        store.pose.value = {};
        store.activations.value = {};
      }
      for (const warning of state.warnings ?? []) {
        if (!last?.warnings?.includes(warning)) store.addToast({ level: 'warning', text: warning });
      }
    });
    this.restore();
  }

  private receive(event: ServerEvent): void {
    switch (event.event) {
      case 'state':
        this.setState(event);
        break;
      case 'catalogue':
        // Another body: its meshes follow, and those of the old one would lie beside it.
        this.view?.forget();
        this.hasPickingGeometry = false;
        store.selectedMuscle.value = null;
        store.pendingEdits.clear();
        this.setCatalogue(event.catalogue);
        break;
      case 'progress': {
        const jobs = new Map(store.jobs.value);
        if (event.done) jobs.delete(event.job);
        else jobs.set(event.job, event);
        store.jobs.value = jobs;
        this.expireJob(event.job, event.done);
        break;
      }
      case 'message':
        store.addToast({ level: event.level, text: event.text });
        break;
    }
  }

  /** A job that was overtaken may end without a word; what is silent for long is not shown as running. */
  private expireJob(job: number | string, isDone: boolean): void {
    clearTimeout(this.jobTimers.get(job));
    this.jobTimers.delete(job);
    if (isDone) return;
    const forget = () => {
      const jobs = new Map(store.jobs.value);
      jobs.delete(job);
      store.jobs.value = jobs;
    };
    this.jobTimers.set(job, setTimeout(forget, SILENT_JOB_MS));
  }

  private receiveFrame(buffer: ArrayBuffer): void {
    if (!this.view) {
      this.early.push(buffer);
      this.whenShown();
      return;
    }
    try {
      const frame = decodeFrame(buffer);
      this.view?.apply(frame);
      if (frame.kind === FrameKind.Scalars && frame.mesh === MESH.skin) {
        const amount = this.lastPaint?.amount ?? store.brush.value.amount;
        this.lastPaint = frame.values.some((v) => v > 0) ? { values: frame.values.slice(), amount } : null;
      }
      if (frame.kind === FrameKind.Mesh && frame.mesh === MESH.skin) {
        store.hasPicture.value = true;
        if (isUnedited()) this.view?.layers.keepAsBefore(MESH.skin);
      }
      if (frame.kind === FrameKind.Mesh && frame.mesh === MESH.bones) this.hasPickingGeometry = true;
      this.askForLayers();
    } catch (error) {
      store.addToast({ level: 'error', text: `A picture from the server could not be read: ${String(error)}`, remedy: 'Reload the page.' });
    }
  }

  /** Layers that are seen; once at first also those that clicks must find under the skin. */
  private askForLayers(): void {
    const [fade, inside, before, wantsPicking] = [store.fade.value, store.insideLayers.value, store.isComparing.value, store.wantsPicking.value];
    if (!this.connection.isOpen || !documentHasBody() || !store.hasPicture.value) return;
    const seen: LayerName[] = fade > 0 ? ['skin', ...inside] : ['skin'];
    const layers = this.hasPickingGeometry || !wantsPicking ? seen : [...new Set([...seen, ...PICKING_LAYERS])];
    const key = JSON.stringify([layers, before]);
    if (this.askedLayers === '' && layers.length === 1 && !before) return; // what the server sends anyway
    if (key === this.askedLayers) return;
    this.askedLayers = key;
    void this.command('view', { layers, before });
  }

  // ---- what the person does ------------------------------------------------------------------------------------

  /** Sends a command; a refusal becomes a toast and null. */
  async command(verb: string, fields: Record<string, unknown> = {}): Promise<Answer | null> {
    try {
      return await this.connection.send(verb, fields);
    } catch (error) {
      this.report(error);
      return null;
    }
  }

  private report(error: unknown): void {
    if (error instanceof RefusedError) store.addErrorToast(error.parts);
    else if (error instanceof ConnectionLostError) return; // the banner says so
    else store.addToast({ level: 'error', text: error instanceof Error ? error.message : String(error) });
  }

  private takeBack(changes: Change[], error: unknown): void {
    if (error instanceof ConnectionLostError) {
      // Keep what was not heard; it is sent when the server is back.
      this.queue.push(changes, false);
      return;
    }
    store.pendingEdits.drop(changes);
    store.touchPendingEdits();
    this.report(error);
  }

  edit(changes: Change[], dragging: boolean): void {
    store.pendingEdits.set(changes, dragging);
    store.touchPendingEdits();
    this.queue.push(changes, dragging);
  }

  /** Sets a value of a muscle, a region of fat or a bone; of both sides when editing is symmetric. */
  editPart(kind: TargetKind, name: string, value: EditValue, dragging: boolean): void {
    this.edit(changesFor(kind, name, value, { symmetric: store.isSymmetric.value, edits: store.edits.value }), dragging);
  }

  async undo(): Promise<void> {
    store.pendingEdits.clear();
    if (await this.command('undo')) store.announce('Undone');
  }
  async redo(): Promise<void> {
    store.pendingEdits.clear();
    if (await this.command('redo')) store.announce('Done again');
  }
  async reset(): Promise<void> {
    store.pendingEdits.clear();
    if (await this.command('reset')) store.announce('Everything is back at the beginning');
  }

  paint(painted: PaintedVertices, count: number | null, end: boolean): void {
    const amount = store.brush.value.amount;
    if (this.lastPaint) this.lastPaint.amount = amount;
    void this.command('paint', { ...painted, amount, end, ...(count === null ? {} : { count }) });
  }

  async openFiles(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      try {
        store.announce(`Reading ${file.name}`);
        const name = await upload(file);
        await this.openFile(name);
      } catch (error) {
        this.report(error);
      }
    }
  }

  async openFile(name: string): Promise<void> {
    if (/\.bvh$/i.test(name)) {
      const played = await this.command('play', { file: name, loop: true });
      // The server reads the file when it begins to play it, and says then what is wrong with it.
      if (played) store.tab.value = 'motion';
      return;
    } else if (/\.(osim|xml)$/i.test(name)) {
      store.forcesModel.value = name;
      store.tab.value = 'forces';
    } else {
      const answer = await this.command('open', { file: name });
      if (!answer) return;
      if (answer.catalogue) this.receive({ event: 'catalogue', catalogue: answer.catalogue as Catalogue });
    }
    store.addToast({ level: 'info', text: `Opened ${name}` });
  }

  /** A scan becomes the body that is shown. */
  async fitScan(file: File, options: ScanOptions): Promise<void> {
    try {
      store.announce(`Reading ${file.name}`);
      const name = await upload(file);
      const answer = await this.command('fit', { file: name, options: fitFields(options) });
      if (answer) store.addToast({ level: 'info', text: personText(answer) });
    } catch (error) {
      this.report(error);
    }
  }

  /** The built-in human of another shape becomes the body that is shown. */
  async build(options: Record<string, unknown>): Promise<void> {
    const answer = await this.command('build', { options });
    if (answer) store.announce(`The body is made: ${bodyText(answer)}`);
  }

  async save(file: string): Promise<void> {
    if (await this.command('save', { file })) {
      downloadFile(file);
      store.addToast({ level: 'info', text: `Saved ${file}` });
    }
  }

  async exportAs(file: string): Promise<void> {
    const answer = await this.command('export', { file });
    if (!answer) return;
    downloadFile(typeof answer.file === 'string' ? answer.file : file);
    store.addToast({ level: 'info', text: `Exported ${file}` });
  }
}

export function documentHasBody(): boolean {
  const state = store.documentState.value;
  return state !== null && state.mode !== 'loading';
}

/** A server that has lost what it knew: another process, empty where we were further. */
export function isAnotherServer(known: DocumentState, now: DocumentState): boolean {
  const isFresh = Object.keys(now.edits).length === 0 && now.undo === 0 && now.redo === 0;
  const isOther = known.session !== undefined && now.session !== undefined ? known.session !== now.session : now.revision < known.revision;
  return isFresh && isOther;
}

function isUnedited(): boolean {
  const state = store.documentState.value;
  return state !== null && Object.keys(state.edits).length === 0 && !state.painted;
}

export function socketUrl(location: Location): string {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const token = new URLSearchParams(location.search).get('token');
  return `${scheme}://${location.host}/ws${token ? `?token=${encodeURIComponent(token)}` : ''}`;
}

export const session = new Session(typeof location === 'undefined' ? '' : socketUrl(location));
