// Numbers as people read them.

export function percent(ratio: number, digits = 0): string {
  return `${(100 * ratio).toFixed(digits)} %`;
}

/** Change of a ratio around 1: "+12 %", "−5 %", "±0 %". */
export function growth(ratio: number): string {
  const change = Math.round(100 * (ratio - 1));
  if (change === 0) return '±0 %';
  return `${change > 0 ? '+' : '−'}${Math.abs(change)} %`;
}

export function centimetres(metres: number, digits = 1): string {
  return `${(100 * metres).toFixed(digits)} cm`;
}

export function kilograms(mass: number): string {
  return `${mass.toFixed(1)} kg`;
}

export function millilitres(volume: number): string {
  if (volume >= 1000) return `${(volume / 1000).toFixed(2)} l`;
  return `${volume >= 10 ? volume.toFixed(0) : volume.toFixed(1)} ml`;
}

export function newtons(force: number): string {
  return force > 0 ? `${force.toFixed(0)} N` : 'not known';
}

export function degrees(angle: number): string {
  return `${Math.round(angle)}°`.replace('-', '−');
}

export function bytes(size: number): string {
  if (size < 1e3) return `${size} B`;
  if (size < 1e6) return `${(size / 1e3).toFixed(0)} kB`;
  return `${(size / 1e6).toFixed(1)} MB`;
}

/** "upper_arm_l" reads "Upper arm, left". */
export function readable(name: string): string {
  const side = /_l$/.test(name) ? ', left' : /_r$/.test(name) ? ', right' : '';
  const stem = name.replace(/_[lr]$/, '').replace(/_/g, ' ').trim();
  return stem.charAt(0).toUpperCase() + stem.slice(1) + side;
}

/** A signed difference, or nothing when it rounds to zero: "+1.2". */
export function signed(value: number, digits = 1): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return '';
  return `${value > 0 ? '+' : '−'}${text}`;
}
