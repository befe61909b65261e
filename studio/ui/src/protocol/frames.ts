// Binary frames: geometry from the server. A frame that lies about its sizes is refused whole.

export const FRAME_MAGIC = 0x31574e53;
export const HEADER_BYTES = 32;
export const FLAG_BEFORE = 1;

export enum FrameKind {
  Mesh = 1,
  Motion = 2,
  Lines = 3,
  Scalars = 4,
}

export interface PartRange {
  part: number;
  first: number;
  count: number;
}

interface FrameHeader {
  flags: number;
  mesh: number;
  revision: number;
  timeMs: number;
}
export interface MeshFrame extends FrameHeader {
  kind: FrameKind.Mesh;
  positions: Float32Array;
  normals: Int8Array;
  indices: Uint32Array;
  parts: PartRange[];
}
export interface MotionFrame extends FrameHeader {
  kind: FrameKind.Motion;
  positions: Float32Array;
  normals: Int8Array;
}
export interface LinesFrame extends FrameHeader {
  kind: FrameKind.Lines;
  positions: Float32Array;
  colours: Uint8Array;
  indices: Uint32Array;
}
export interface ScalarsFrame extends FrameHeader {
  kind: FrameKind.Scalars;
  values: Float32Array;
}
export type Frame = MeshFrame | MotionFrame | LinesFrame | ScalarsFrame;

function payloadBytes(kind: number, vertices: number, indices: number, parts: number): number {
  switch (kind) {
    case FrameKind.Mesh:
      return 16 * vertices + 4 * indices + 12 * parts;
    case FrameKind.Motion:
      return 16 * vertices;
    case FrameKind.Lines:
      return 16 * vertices + 4 * indices;
    case FrameKind.Scalars:
      return 4 * vertices;
    default:
      throw new Error(`frame of unknown kind ${kind}`);
  }
}

function checkIndices(indices: Uint32Array, vertices: number): void {
  for (let i = 0; i < indices.length; ++i) {
    if (indices[i]! >= vertices) throw new Error(`index ${indices[i]} of a frame with ${vertices} vertices`);
  }
}

/** Views into `buffer` (every array begins at a multiple of four bytes), so nothing is copied. Throws on bad frames. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) throw new Error('frame shorter than its header');
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== FRAME_MAGIC) throw new Error('not a frame of geometry');
  const kind = view.getUint16(4, true);
  const header: FrameHeader = {
    flags: view.getUint16(6, true),
    mesh: view.getUint32(8, true),
    revision: view.getUint32(12, true),
    timeMs: view.getUint32(28, true),
  };
  const vertices = view.getUint32(16, true);
  const indexCount = view.getUint32(20, true);
  const partCount = view.getUint32(24, true);
  const expected = HEADER_BYTES + payloadBytes(kind, vertices, indexCount, partCount);
  if (expected !== buffer.byteLength) throw new Error(`frame of ${buffer.byteLength} bytes, its header asks ${expected}`);

  let at = HEADER_BYTES;
  const take = <T>(bytes: number, make: (offset: number) => T): T => {
    const array = make(at);
    at += bytes;
    return array;
  };
  if (kind === FrameKind.Scalars) {
    return { ...header, kind, values: take(4 * vertices, (o) => new Float32Array(buffer, o, vertices)) };
  }
  const positions = take(12 * vertices, (o) => new Float32Array(buffer, o, 3 * vertices));
  if (kind === FrameKind.Lines) {
    const colours = take(4 * vertices, (o) => new Uint8Array(buffer, o, 4 * vertices));
    const indices = take(4 * indexCount, (o) => new Uint32Array(buffer, o, indexCount));
    checkIndices(indices, vertices);
    return { ...header, kind, positions, colours, indices };
  }
  const normals = take(4 * vertices, (o) => new Int8Array(buffer, o, 4 * vertices));
  if (kind === FrameKind.Motion) return { ...header, kind, positions, normals };

  const indices = take(4 * indexCount, (o) => new Uint32Array(buffer, o, indexCount));
  checkIndices(indices, vertices);
  const parts: PartRange[] = [];
  for (let i = 0; i < partCount; ++i, at += 12) {
    const range = {
      part: view.getUint32(at, true),
      first: view.getUint32(at + 4, true),
      count: view.getUint32(at + 8, true),
    };
    if (range.first + range.count > indexCount) throw new Error('part beyond the indices of its mesh');
    parts.push(range);
  }
  return { ...header, kind: FrameKind.Mesh, positions, normals, indices, parts };
}
