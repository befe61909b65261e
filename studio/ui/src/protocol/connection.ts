// One WebSocket that comes back by itself: commands with answers, events, frames.
import type { Answer, ErrorParts, ServerEvent } from './types';

export type ConnectionStatus = 'connecting' | 'open' | 'lost';

export interface ConnectionHandlers {
  onStatus(status: ConnectionStatus, retryInMs: number): void;
  /** The socket is open: greet the server. Called on every (re)connection. */
  onOpen(): void;
  onEvent(event: ServerEvent): void;
  onBinary(buffer: ArrayBuffer): void;
}

/** What the server refused, in the four parts of its errors. */
export class RefusedError extends Error {
  constructor(readonly parts: ErrorParts) {
    super(parts.found);
  }
}
export class ConnectionLostError extends Error {
  constructor() {
    super('the connection was lost');
  }
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 3000;
const UNKNOWN_ERROR: ErrorParts = { where: 'server', found: 'it refused the command', needs: '', remedy: 'try again' };

export class Connection {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private nextId = 1;
  private retryMs = FIRST_RETRY_MS;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly handlers: ConnectionHandlers,
    private readonly makeSocket: (url: string) => WebSocket = (u) => new WebSocket(u),
  ) {}

  get isOpen(): boolean {
    return this.socket?.readyState === 1;
  }

  open(): void {
    this.handlers.onStatus('connecting', 0);
    const socket = this.makeSocket(this.url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.handlers.onStatus('open', 0);
      this.handlers.onOpen();
    };
    socket.onmessage = (message) => this.receive(message.data as string | ArrayBuffer);
    socket.onclose = () => this.handleClose(socket);
  }

  /** Tries again at once instead of waiting (the button in the banner). */
  retryNow(): void {
    if (this.isOpen || this.isClosed) return;
    clearTimeout(this.retryTimer);
    this.retryMs = FIRST_RETRY_MS;
    this.open();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    this.socket?.close();
  }

  /** Rejects with RefusedError when the server says no, with ConnectionLostError when there is no answer. */
  send(verb: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    if (!this.isOpen) return Promise.reject(new ConnectionLostError());
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket!.send(JSON.stringify({ id, do: verb, ...fields }));
    });
  }

  private handleClose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    lost.forEach((w) => w.reject(new ConnectionLostError()));
    if (this.isClosed) return;
    this.handlers.onStatus('lost', this.retryMs);
    this.retryTimer = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(LONGEST_RETRY_MS, this.retryMs * 1.7);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this.handlers.onBinary(data);
      return;
    }
    const message = JSON.parse(data) as Answer | ServerEvent;
    if ('event' in message) {
      this.handlers.onEvent(message as ServerEvent);
      return;
    }
    const answer = message as Answer;
    const waiting = this.waiting.get(answer.re);
    if (!waiting) return;
    this.waiting.delete(answer.re);
    if (answer.ok) waiting.resolve(answer);
    else waiting.reject(new RefusedError(answer.error ?? UNKNOWN_ERROR));
  }
}
