import { describe, expect, it } from 'vitest';
import { decodeFrame, FrameKind, HEADER_BYTES } from '../../src/protocol/frames';
import { linesFrame, meshFrame, motionFrame, scalarsFrame } from '../mock_frames';

const triangle = {
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]),
  normals: new Int8Array([0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0]),
  indices: new Uint32Array([0, 1, 2]),
  parts: [{ part: 7, first: 0, count: 3 }],
};

describe('frames of geometry', () => {
  it('give a mesh back as it was written', () => {
    const frame = decodeFrame(meshFrame(1, 42, triangle, 1));
    if (frame.kind !== FrameKind.Mesh) throw new Error('not a mesh');
    expect(frame).toMatchObject({ mesh: 1, revision: 42, flags: 1, parts: triangle.parts });
    expect([...frame.positions]).toEqual([...triangle.positions]);
    expect([...frame.normals]).toEqual([...triangle.normals]);
    expect([...frame.indices]).toEqual([0, 1, 2]);
  });

  it('give motions, lines and scalars back', () => {
    expect(decodeFrame(motionFrame(0, 3, triangle))).toMatchObject({ kind: FrameKind.Motion, mesh: 0, revision: 3 });
    const lines = decodeFrame(linesFrame(5, 1, triangle.positions, new Uint8Array(12).fill(9), new Uint32Array([0, 1, 1, 2])));
    expect(lines).toMatchObject({ kind: FrameKind.Lines });
    const scalars = decodeFrame(scalarsFrame(0, 1, new Float32Array([0, 0.5, 1])));
    if (scalars.kind !== FrameKind.Scalars) throw new Error('not scalars');
    expect([...scalars.values]).toEqual([0, 0.5, 1]);
  });

  it('are refused when cut short, too long, of another kind, or not frames at all', () => {
    const good = meshFrame(0, 0, triangle);
    expect(() => decodeFrame(good.slice(0, HEADER_BYTES - 1))).toThrow(/header/);
    expect(() => decodeFrame(good.slice(0, good.byteLength - 4))).toThrow(/bytes/);
    expect(() => decodeFrame(new ArrayBuffer(64))).toThrow(/not a frame/);
    const other = good.slice(0);
    new DataView(other).setUint16(4, 9, true);
    expect(() => decodeFrame(other)).toThrow(/kind 9/);
  });

  it('are refused when an index or a part points outside', () => {
    expect(() => decodeFrame(meshFrame(0, 0, { ...triangle, indices: new Uint32Array([0, 1, 3]) }))).toThrow(/index 3/);
    expect(() => decodeFrame(meshFrame(0, 0, { ...triangle, parts: [{ part: 0, first: 1, count: 3 }] }))).toThrow(/part/);
  });
});
