import { describe, expect, it } from 'vitest';
import type { DocumentState } from '../../src/protocol/types';
import { isAnotherServer, socketUrl } from '../../src/session';

const empty = { edits: {}, undo: 0, redo: 0, revision: 0 } as unknown as DocumentState;
const edited = { ...empty, edits: { stature: 1.8 }, undo: 3, revision: 7 };

describe('a server that comes back', () => {
  it('is another one when its session is, or when it knows less than we do', () => {
    expect(isAnotherServer({ ...edited, session: 'a' }, { ...empty, session: 'b' })).toBe(true);
    expect(isAnotherServer(edited, empty)).toBe(true);
  });

  it('is the same when only the connection was lost, or somebody reset the body', () => {
    expect(isAnotherServer(edited, edited)).toBe(false);
    expect(isAnotherServer({ ...edited, session: 'a' }, { ...empty, session: 'a', revision: 8 })).toBe(false);
    expect(isAnotherServer(edited, { ...empty, undo: 4, revision: 8 })).toBe(false);
  });

  it('is left alone when others already work on it', () => {
    expect(isAnotherServer({ ...edited, session: 'a' }, { ...edited, session: 'b', revision: 1 })).toBe(false);
  });
});

describe('the address of the socket', () => {
  const at = (href: string) => socketUrl(new URL(href) as unknown as Location);
  it('is that of the page, with its token', () => {
    expect(at('http://127.0.0.1:8080/')).toBe('ws://127.0.0.1:8080/ws');
    expect(at('https://host/?token=a%2Fb')).toBe('wss://host/ws?token=a%2Fb');
  });
});
