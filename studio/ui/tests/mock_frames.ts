// Frames as the server writes them.
import { FRAME_MAGIC, FrameKind, HEADER_BYTES } from '../src/protocol/frames';
import type { Mesh } from './mock_body';

interface Header {
  kind: number;
  flags?: number;
  mesh: number;
  revision: number;
  vertices: number;
  indices?: number;
  parts?: number;
}

function frame(header: Header, ...arrays: (Float32Array | Int8Array | Uint8Array | Uint32Array)[]): ArrayBuffer {
  const bytes = arrays.reduce((sum, a) => sum + a.byteLength, HEADER_BYTES);
  const buffer = new ArrayBuffer(bytes);
  const view = new DataView(buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint16(4, header.kind, true);
  view.setUint16(6, header.flags ?? 0, true);
  [header.mesh, header.revision, header.vertices, header.indices ?? 0, header.parts ?? 0, 0].forEach((x, i) => view.setUint32(8 + 4 * i, x, true));
  let at = HEADER_BYTES;
  for (const array of arrays) {
    new Uint8Array(buffer).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return buffer;
}

export function meshFrame(mesh: number, revision: number, m: Mesh, flags = 0): ArrayBuffer {
  const parts = new Uint32Array(m.parts.flatMap((p) => [p.part, p.first, p.count]));
  const header = { kind: FrameKind.Mesh, flags, mesh, revision, vertices: m.positions.length / 3, indices: m.indices.length, parts: m.parts.length };
  return frame(header, m.positions, m.normals, m.indices, parts);
}

export function motionFrame(mesh: number, revision: number, m: Mesh): ArrayBuffer {
  return frame({ kind: FrameKind.Motion, mesh, revision, vertices: m.positions.length / 3 }, m.positions, m.normals);
}

export function linesFrame(mesh: number, revision: number, positions: Float32Array, colours: Uint8Array, indices: Uint32Array): ArrayBuffer {
  return frame({ kind: FrameKind.Lines, mesh, revision, vertices: positions.length / 3, indices: indices.length }, positions, colours, indices);
}

export function scalarsFrame(mesh: number, revision: number, values: Float32Array): ArrayBuffer {
  return frame({ kind: FrameKind.Scalars, mesh, revision, vertices: values.length }, values);
}
