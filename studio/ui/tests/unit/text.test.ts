import { describe, expect, it } from 'vitest';
import { safeName } from '../../src/model/files';
import { centimetres, growth, millilitres, readable, signed } from '../../src/model/format';
import { matches } from '../../src/model/search';
import { niceTicks } from '../../src/ui/plots';

describe('numbers', () => {
  it('read as people write them', () => {
    expect(growth(1.2)).toBe('+20 %');
    expect(growth(0.95)).toBe('−5 %');
    expect(growth(1.001)).toBe('±0 %');
    expect(centimetres(1.756)).toBe('175.6 cm');
    expect(millilitres(1234)).toBe('1.23 l');
    expect(signed(-0.04)).toBe('');
    expect(signed(1.26)).toBe('+1.3');
  });

  it('have ticks at round places', () => {
    expect(niceTicks(0, 130)).toEqual([0, 50, 100]);
    expect(niceTicks(-0.02, 0.03)).toEqual([-0.02, 0, 0.02]);
  });
});

describe('names', () => {
  it('are readable', () => {
    expect(readable('upper_arm_l')).toBe('Upper arm, left');
    expect(readable('waist')).toBe('Waist');
  });

  it('are found by parts of words, in any order, whatever the accents', () => {
    expect(matches('brach bic', 'Biceps brachii, left')).toBe(true);
    expect(matches('gluteus', 'gluteus_maximus_l')).toBe(true);
    expect(matches('ecorche', 'Écorché')).toBe(true);
    expect(matches('soleus', 'Biceps brachii')).toBe(false);
    expect(matches('', 'anything')).toBe(true);
  });

  it('are found by the words that people use', () => {
    const found: [string, string][] = [
      ['calf', 'gastrocnemius_medial_head_l'],
      ['calf', 'Soleus, left'],
      ['abs', 'Rectus abdominis, left'],
      ['six pack', 'Rectus abdominis, left'],
      ['pecs', 'Pectoralis major sternal part, right'],
      ['lats', 'latissimus_dorsi_r'],
      ['quads', 'Vastus lateralis, left'],
      ['thigh', 'Adductor magnus, left'],
      ['delts', 'deltoid_acromial_part_l'],
      ['bum', 'Gluteus maximus, right'],
      ['left quads', 'Rectus femoris, left'],
    ];
    for (const [query, name] of found) expect(matches(query, name), query).toBe(true);
    expect(matches('calf', 'Biceps brachii, left')).toBe(false);
    expect(matches('six pack', 'Soleus, left')).toBe(false);
    expect(matches('right quads', 'Rectus femoris, left')).toBe(false);
  });

  it('of files lose folders and odd characters', () => {
    expect(safeName('../../etc/passwd')).toBe('passwd');
    expect(safeName('C:\\me\\a<b>.obj')).toBe('a_b_.obj');
    expect(safeName('..')).toBe('file');
    expect(safeName('walk 1.bvh')).toBe('walk 1.bvh');
  });
});
