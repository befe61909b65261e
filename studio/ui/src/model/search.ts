// Finding a muscle or joint by part of its name.

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/_/g, ' ');
}

/** Every word of the query must begin a word or stand inside the text; an empty query finds everything. */
export function matches(query: string, ...texts: string[]): boolean {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const text = plain(texts.join(' '));
  return words.every((word) => text.includes(word));
}
