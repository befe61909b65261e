import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, ConnectionLostError, RefusedError, type ConnectionStatus } from '../../src/protocol/connection';

class FakeSocket {
  readyState = 0;
  binaryType = '';
  sent: Record<string, unknown>[] = [];
  onopen: () => void = () => {};
  onclose: () => void = () => {};
  onmessage: (m: { data: unknown }) => void = () => {};
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.readyState = 3;
    this.onclose();
  }
  becomeOpen(): void {
    this.readyState = 1;
    this.onopen();
  }
  say(message: object): void {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

describe('a connection', () => {
  let sockets: FakeSocket[];
  let statuses: ConnectionStatus[];
  let greetings: number;
  let connection: Connection;
  beforeEach(() => {
    vi.useFakeTimers();
    sockets = [];
    statuses = [];
    greetings = 0;
    const handlers = { onStatus: (s: ConnectionStatus) => statuses.push(s), onOpen: () => greetings++, onEvent: () => {}, onBinary: () => {} };
    connection = new Connection('ws://x', handlers, () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1) as unknown as WebSocket;
    });
    connection.open();
  });
  afterEach(() => vi.useRealTimers());

  it('matches answers to commands, in any order', async () => {
    sockets[0]!.becomeOpen();
    const first = connection.send('undo');
    const second = connection.send('redo');
    const [a, b] = sockets[0]!.sent as { id: number }[];
    sockets[0]!.say({ re: b!.id, ok: true, which: 'second' });
    sockets[0]!.say({ re: a!.id, ok: true, which: 'first' });
    expect((await first).which).toBe('first');
    expect((await second).which).toBe('second');
  });

  it('turns a refusal into an error with its remedy', async () => {
    sockets[0]!.becomeOpen();
    const answer = connection.send('edit');
    sockets[0]!.say({ re: 1, ok: false, error: { where: 'muscle', found: 'bicep', needs: 'a name', remedy: 'did you mean biceps?' } });
    await expect(answer).rejects.toBeInstanceOf(RefusedError);
    await answer.catch((e: RefusedError) => expect(e.parts.remedy).toContain('biceps'));
  });

  it('comes back by itself, later each time, and greets again', async () => {
    sockets[0]!.becomeOpen();
    const unanswered = connection.send('undo');
    sockets[0]!.close();
    await expect(unanswered).rejects.toBeInstanceOf(ConnectionLostError);
    expect(statuses.at(-1)).toBe('lost');
    vi.advanceTimersByTime(260);
    expect(sockets).toHaveLength(2);
    sockets[1]!.close();
    vi.advanceTimersByTime(260);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(300);
    expect(sockets).toHaveLength(3);
    sockets[2]!.becomeOpen();
    expect(greetings).toBe(2);
    expect(statuses.at(-1)).toBe('open');
  });

  it('refuses commands while there is no connection', async () => {
    await expect(connection.send('undo')).rejects.toBeInstanceOf(ConnectionLostError);
  });
});
