// Files of the workspace: up by PUT, down by GET.
import type { WorkspaceFile } from '../protocol/types';

export const LARGEST_UPLOAD = 256 * 1024 * 1024;

/** A name that the server takes: no folder, no control characters. */
export function safeName(name: string): string {
  const last = name.split(/[\\/]/).pop() ?? '';
  return last.replace(/[^\w.()+ -]/g, '_').replace(/^\.+/, '').slice(0, 120) || 'file';
}

function urlOf(name: string): string {
  return `api/files/${encodeURIComponent(name)}`;
}

export async function upload(file: File): Promise<string> {
  const name = safeName(file.name);
  if (file.size > LARGEST_UPLOAD) throw new Error(`${name} is larger than 256 MB`);
  const answer = await fetch(urlOf(name), { method: 'PUT', body: file });
  if (!answer.ok) throw new Error(`${name} could not be stored (${answer.status} ${await answer.text()})`);
  return name;
}

export async function listFiles(): Promise<WorkspaceFile[]> {
  const answer = await fetch('api/files');
  if (!answer.ok) throw new Error(`the workspace could not be listed (${answer.status})`);
  return (await answer.json()) as WorkspaceFile[];
}

export function download(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

export function downloadFile(name: string): void {
  download(urlOf(name), name);
}

export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
