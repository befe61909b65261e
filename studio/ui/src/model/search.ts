// Finding a muscle or joint by part of its name.

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/_/g, ' ');
}

const THIGH = ['rectus femoris', 'vastus', 'biceps femoris', 'semitendinosus', 'semimembranosus', 'adductor', 'sartorius', 'gracilis'];
/** What people say who do not know the anatomical names, which may be found instead. */
const LAY_WORDS: Record<string, string[]> = {
  abs: ['rectus abdominis', 'abdominal oblique', 'oblique', 'transversus abdominis'],
  bottom: ['gluteus'],
  bum: ['gluteus'],
  butt: ['gluteus'],
  calf: ['gastrocnemius', 'soleus'],
  calves: ['gastrocnemius', 'soleus'],
  delts: ['deltoid'],
  glutes: ['gluteus'],
  hams: ['biceps femoris', 'semitendinosus', 'semimembranosus'],
  lats: ['latissimus'],
  pecs: ['pectoralis'],
  quads: ['rectus femoris', 'vastus'],
  sixpack: ['rectus abdominis'],
  thigh: THIGH,
  thighs: THIGH,
  traps: ['trapezius'],
};

/** Every word of the query must begin a word or stand inside the text, or mean what stands there; an empty query finds everything. */
export function matches(query: string, ...texts: string[]): boolean {
  const words = plain(query).replace(/six[ -]pack/, 'sixpack').split(/\s+/).filter(Boolean);
  const text = plain(texts.join(' '));
  return words.every((word) => text.includes(word) || LAY_WORDS[word]?.some((name) => text.includes(name)));
}
