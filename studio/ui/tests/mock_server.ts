// A server that speaks the studio's protocol with a body of tubes: for developing and testing the page alone.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { MESH, type Change, type DocumentState, type LayerName, type Mode } from '../src/protocol/types';
import { boneMesh, jointPlaces, makeCatalogue, measure, muscleMesh, skinMesh, SKIN_VERTICES, type Inputs, type Mesh } from './mock_body';
import { linesFrame, meshFrame, motionFrame, scalarsFrame } from './mock_frames';

interface View {
  socket: WebSocket;
  layers: Set<LayerName>;
  before: boolean;
}
interface Snapshot {
  edits: Record<string, number | boolean>;
  paint: Float32Array;
  paintAmount: number;
}
type Command = { id: number; do: string } & Record<string, unknown>;

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const RECIPES: Record<string, Record<string, number>> = {
  bodybuilder: { 'muscle:all': 1.2, 'muscle:biceps': 1.45, 'fat:uniform': 0.7 },
  android: { 'fat:belly': 2.4 },
};

export class MockServer {
  /** Commands as they came, for tests. */
  readonly commands: Command[] = [];
  readonly files = new Map<string, Buffer>();
  private readonly views = new Set<View>();
  private current: Snapshot = { edits: {}, paint: new Float32Array(SKIN_VERTICES), paintAmount: 2 };
  private readonly past: Snapshot[] = [];
  private future: Snapshot[] = [];
  private isDragging = false;
  private isStroking = false;
  private revision = 0;
  private mode: Mode = 'rest';
  private pose: Record<string, number[]> = {};
  private activations: Record<string, number> = {};
  private lift = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private http: Server | null = null;
  private sockets: WebSocketServer | null = null;
  private readonly session = Math.random().toString(36).slice(2);
  private readonly rest = measure(this.inputs());
  port = 0;

  constructor(private readonly pageFolder: string) {}

  async start(port = 0): Promise<string> {
    this.http = createServer((request, response) => void this.serve(request, response));
    this.sockets = new WebSocketServer({ server: this.http, path: '/ws' });
    this.sockets.on('connection', (socket) => this.connect(socket));
    await new Promise<void>((resolve) => this.http!.listen(port, '127.0.0.1', resolve));
    this.port = (this.http.address() as { port: number }).port;
    return `http://127.0.0.1:${this.port}/`;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.dropConnections();
    this.sockets?.close();
    this.http?.closeAllConnections();
    await new Promise<void>((resolve) => (this.http ? this.http.close(() => resolve()) : resolve()));
  }

  /** What a cable pulled out looks like to the page. */
  dropConnections(): void {
    for (const view of this.views) view.socket.terminate();
    this.views.clear();
  }

  private inputs(): Inputs {
    return { ...this.current, pose: this.pose ?? {}, activations: this.activations ?? {}, lift: this.lift ?? 0 };
  }

  // ---- HTTP ----------------------------------------------------------------------------------------------------

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const send = (status: number, body: string | Buffer, type = 'application/json') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache' });
      response.end(body);
    };
    const file = /^\/api\/files\/([^/]+)$/.exec(path)?.[1];
    if (path === '/api/health') return send(200, JSON.stringify({ ok: true, version: 'mock' }));
    if (path === '/api/files') {
      return send(200, JSON.stringify([...this.files].map(([name, data]) => ({ name, size: data.length, kind: name.split('.').pop() }))));
    }
    if (file && request.method === 'PUT') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.files.set(file, Buffer.concat(chunks));
      return send(201, '{}');
    }
    if (file) {
      const data = this.files.get(file);
      return data ? send(200, data, 'application/octet-stream') : send(404, 'no such file');
    }
    try {
      const name = path === '/' ? 'index.html' : path.replace(/\.\./g, '').slice(1);
      send(200, await readFile(join(this.pageFolder, name)), TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream');
    } catch {
      send(404, 'not found');
    }
  }

  // ---- WebSocket -----------------------------------------------------------------------------------------------

  private connect(socket: WebSocket): void {
    const view: View = { socket, layers: new Set(['skin']), before: false };
    this.views.add(view);
    socket.on('close', () => this.views.delete(view));
    socket.on('message', (data) => {
      const command = JSON.parse(String(data)) as Command;
      this.commands.push(command);
      try {
        const answer = this.perform(view, command) ?? {};
        socket.send(JSON.stringify({ re: command.id, ok: true, ...answer }));
        this.after(view, command);
      } catch (error) {
        const parts = { where: command.do, found: (error as Error).message, needs: 'something known', remedy: 'choose another' };
        socket.send(JSON.stringify({ re: command.id, ok: false, error: parts }));
      }
    });
  }

  private perform(view: View, command: Command): Record<string, unknown> | void {
    switch (command.do) {
      case 'hello':
        return { catalogue: makeCatalogue(), state: this.state() };
      case 'view':
        view.layers = new Set(command.layers as LayerName[]);
        view.before = command.before === true;
        return;
      case 'edit':
        this.edit(command.changes as Change[], command.dragging === true);
        return;
      case 'paint':
        this.paint(command);
        return;
      case 'undo':
        this.swap(this.past, this.future);
        return;
      case 'redo':
        this.swap(this.future, this.past);
        return;
      case 'reset':
        this.remember();
        this.current = { edits: {}, paint: new Float32Array(SKIN_VERTICES), paintAmount: 2 };
        return;
      case 'recipe': {
        const edits = RECIPES[String(command.name)];
        if (!edits) throw new Error(`no recipe "${String(command.name)}"`);
        this.remember();
        this.current = { ...this.current, edits: { ...edits } };
        return;
      }
      case 'pose':
        this.pose = command.joints as Record<string, number[]>;
        this.mode = 'pose';
        return;
      case 'contract':
        this.activations = command.activations as Record<string, number>;
        this.mode = 'contract';
        return;
      case 'play':
        return this.play(String(command.file));
      case 'jump':
        return this.animate('jump', (t) => {
          this.lift = Math.max(0, 1.2 * t - 1.5 * t * t);
          return t < 0.9;
        });
      case 'stop':
        this.standStill();
        return;
      case 'forces': {
        const values = Array.from({ length: 30 }, (_, i) => 4 * i);
        const muscles = ['biceps', 'brachialis', 'triceps'].map((name, k) => ({
          name,
          label: name,
          moment_arm_m: values.map((a) => (k === 2 ? -0.02 : 0.02 + 0.01 * k) * Math.sin((a * Math.PI) / 130 + 0.3)),
          length_m: values.map((a) => 0.3 - 0.0004 * a),
          force_n: values.map((a) => 400 * Math.exp(-(((a - 60) / 70) ** 2))),
        }));
        return { coordinate: String(command.coordinate ?? 'elbow_l'), coordinates: ['elbow_l', 'knee_l'], unit: 'deg', values, muscles };
      }
      case 'fit': {
        const name = String(command.file).replace(/\.\w+$/, '.sinew');
        return { file: name, url: `/api/files/${name}`, person: { stature_m: 1.72, mass_kg: 64, fat_kg: 16, distance_mm: { mean: 0.31 } } };
      }
      case 'build':
        return { body: { stature_m: 1.76, mass_kg: 85.5, body_fat: 0.24 } };
      case 'open':
        return this.open(String(command.file));
      case 'save':
      case 'export': {
        const name = String(command.file);
        this.files.set(name, Buffer.from(JSON.stringify({ format: 'mock', edits: this.current.edits })));
        return { file: name, url: `/api/files/${name}` };
      }
      case 'shown':
        return;
      case 'cancel':
        this.tell({ event: 'progress', job: command.job, what: '', fraction: 1, seconds_left: 0, done: true });
        return;
      default:
        throw new Error(`no command "${command.do}"`);
    }
  }

  private after(view: View, command: Command): void {
    if (command.do === 'hello' || command.do === 'view') {
      if (command.do === 'hello') this.sendGeometry(view, new Set<LayerName>(['skin']), false);
      else this.sendGeometry(view, view.layers, view.before);
      return;
    }
    const isSilent = ['forces', 'save', 'export', 'shown', 'cancel'].includes(command.do);
    if (!isSilent) this.publish();
  }

  private remember(): void {
    this.past.push({ edits: { ...this.current.edits }, paint: this.current.paint.slice(), paintAmount: this.current.paintAmount });
    this.future = [];
  }

  private swap(from: Snapshot[], to: Snapshot[]): void {
    const next = from.pop();
    if (!next) throw new Error('nothing to undo or redo');
    to.push(this.current);
    this.current = next;
  }

  private edit(changes: Change[], dragging: boolean): void {
    for (const { target } of changes) {
      if (!/^(muscle|fat|bone):\w+$|^(stature|weight|body_fat|gravity)$/.test(target)) throw new Error(`unknown target "${target}"`);
    }
    if (!this.isDragging) this.remember();
    this.isDragging = dragging;
    const edits = { ...this.current.edits };
    for (const { target, value } of changes) {
      if (value === null) delete edits[target];
      else edits[target] = value;
    }
    this.current = { ...this.current, edits };
  }

  private paint(command: Command): void {
    if (command.count !== undefined && command.count !== SKIN_VERTICES) throw new Error('another skin');
    if (!this.isStroking) this.remember();
    this.isStroking = command.end !== true;
    const paint = this.current.paint.slice();
    const values = command.values as number[];
    (command.vertices as number[]).forEach((v, i) => (paint[v] = values[i]!));
    this.current = { ...this.current, paint, paintAmount: Number(command.amount) };
  }

  private open(name: string): Record<string, unknown> | void {
    const data = this.files.get(name);
    if (!data) throw new Error(`no file "${name}"`);
    if (name.endsWith('.bvh')) return this.play(name);
    if (name.endsWith('.obj')) {
      for (const view of this.views) view.socket.send(meshFrame(MESH.beside, this.revision, parseObj(String(data))));
      return;
    }
    const content = JSON.parse(String(data)) as { edits?: Record<string, number> };
    if (!content.edits) throw new Error(`${name} is not a body`);
    this.remember();
    this.current = { ...this.current, edits: content.edits };
  }

  private play(file: string): void {
    if (!['wave', 'walk'].includes(file) && !this.files.has(file)) throw new Error(`no motion "${file}"`);
    this.animate('play', (t) => {
      const swing = Math.sin(4 * t);
      this.pose = file === 'wave' ? { shoulder_l: [140 + 12 * swing], elbow_l: [30 * swing] } : { shoulder_l: [30 * swing], shoulder_r: [-30 * swing], hip_l: [-25 * swing], hip_r: [25 * swing] };
      return true;
    });
  }

  private animate(mode: Mode, step: (seconds: number) => boolean): void {
    clearInterval(this.timer);
    this.mode = mode;
    const start = Date.now();
    this.timer = setInterval(() => {
      if (!step((Date.now() - start) / 1000)) {
        this.standStill();
        this.publish();
      }
      this.sendMotion();
    }, 40);
  }

  private standStill(): void {
    clearInterval(this.timer);
    this.mode = 'rest';
    this.pose = {};
    this.activations = {};
    this.lift = 0;
  }

  // ---- what the views are sent ---------------------------------------------------------------------------------

  private state(): DocumentState {
    const measures = measure({ ...this.inputs(), activations: {} });
    return {
      edits: this.current.edits,
      painted: this.current.paint.some((v) => v > 0),
      undo: this.past.length,
      redo: this.future.length,
      measures,
      before: this.rest,
      resolution: this.isDragging ? 'preview' : 'standard',
      revision: this.revision,
      mode: this.mode,
      warnings: [],
      joints: jointPlaces(this.current.edits),
      session: this.session,
    };
  }

  tell(event: object): void {
    for (const view of this.views) view.socket.send(JSON.stringify(event));
  }

  private publish(): void {
    this.revision += 1;
    this.tell({ event: 'state', ...this.state() });
    this.sendMotion();
    for (const view of this.views) view.socket.send(scalarsFrame(MESH.skin, this.revision, this.current.paint));
  }

  private meshes(layers: ReadonlySet<LayerName>, inputs: Inputs): [number, Mesh][] {
    const meshes: [number, Mesh][] = [];
    if (layers.has('skin')) meshes.push([MESH.skin, skinMesh(inputs)]);
    if (layers.has('muscles')) meshes.push([MESH.muscles, muscleMesh(inputs)]);
    if (layers.has('bones')) meshes.push([MESH.bones, boneMesh(inputs)]);
    if (layers.has('envelope')) meshes.push([MESH.envelope, muscleMesh(inputs)]);
    if (layers.has('tets')) meshes.push([MESH.tets, muscleMesh(inputs)]);
    return meshes;
  }

  private sendMotion(): void {
    const inputs = this.inputs();
    for (const view of this.views) {
      for (const [number, mesh] of this.meshes(view.layers, inputs)) view.socket.send(motionFrame(number, this.revision, mesh));
    }
  }

  private sendGeometry(view: View, layers: ReadonlySet<LayerName>, before: boolean): void {
    const inputs = this.inputs();
    for (const [number, mesh] of this.meshes(layers, inputs)) view.socket.send(meshFrame(number, this.revision, mesh));
    if (layers.has('fibres')) {
      const { positions } = muscleMesh(inputs);
      const indices = new Uint32Array(Array.from({ length: positions.length / 3 - 24 }, (_, i) => [i, i + 24]).flat());
      view.socket.send(linesFrame(MESH.fibres, this.revision, positions, new Uint8Array((4 * positions.length) / 3).fill(200), indices));
    }
    if (before) {
      const rest: Inputs = { edits: {}, paint: new Float32Array(SKIN_VERTICES), paintAmount: 1, pose: {}, activations: {}, lift: 0 };
      for (const [number, mesh] of this.meshes(layers, rest)) view.socket.send(meshFrame(MESH.before + number, this.revision, mesh, 1));
    }
    view.socket.send(scalarsFrame(MESH.skin, this.revision, this.current.paint));
  }
}

function parseObj(text: string): Mesh {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const positions = new Float32Array(lines.filter((l) => l[0] === 'v').flatMap((l) => l.slice(1, 4).map(Number)));
  const indices = new Uint32Array(lines.filter((l) => l[0] === 'f').flatMap((l) => l.slice(1, 4).map((i) => parseInt(i) - 1)));
  return { positions, normals: new Int8Array((4 * positions.length) / 3).fill(40), indices, parts: [] };
}
