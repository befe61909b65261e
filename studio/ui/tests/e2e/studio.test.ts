// A person's afternoon in the studio, in a real browser.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBackend } from './backend';
import { difference, dragSlider, dropFile, launchBrowser, measured, openPage, relit, rememberSkin, settle, skinMoved, skinRests, silhouette, until, type Silhouette } from './browser';

const backend = makeBackend();
const PATIENCE = { timeout: 40_000 };
let browser: Browser;
let page: Page;
let errors: string[];
let atRest: Silhouette;

/** Waits for a measure to move away from a value, and gives it. */
async function changedMeasure(id: string, from: number, by: number): Promise<number> {
  const selector = `[data-testid="measure-${id}-value"]`;
  await until(
    page,
    ({ selector, from, by }) => Math.abs(Number(document.querySelector(selector)?.getAttribute('data-value')) - from) > by,
    { selector, from, by },
  );
  return measured(page, id);
}

/** Waits until nothing is being computed. */
async function calm(): Promise<void> {
  await until(page, () => window.studio.store.jobs.value.size === 0);
}

/** Two seconds in which the left arm is raised, as motion capture writes them. */
const RAISED_ARM = (() => {
  const joint = (name: string, offset: string, inner: string) =>
    `JOINT ${name} { OFFSET ${offset} CHANNELS 3 Zrotation Xrotation Yrotation ${inner} }`;
  const end = (offset: string) => `End Site { OFFSET ${offset} }`;
  const arm = (side: string, s: number) =>
    joint(`${side}Arm`, `${s * 18} 45 0`, joint(`${side}ForeArm`, `${s * 28} 0 0`, joint(`${side}Hand`, `${s * 26} 0 0`, end(`${s * 10} 0 0`))));
  const leg = (side: string, s: number) =>
    joint(`${side}UpLeg`, `${s * 9} -5 0`, joint(`${side}Leg`, '0 -42 0', joint(`${side}Foot`, '0 -42 0', end('0 -5 12'))));
  const body = joint('Spine', '0 10 0', `${joint('Head', '0 60 0', end('0 18 0'))} ${arm('Left', 1)} ${arm('Right', -1)}`);
  const root = `ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation ${body} ${leg('Left', 1)} ${leg('Right', -1)} }`;
  // Channels of hips (6), spine, head, then the left arm's three.
  const frame = (angle: number) => [0, 95, 0, 0, 0, 0, ...Array(6).fill(0), angle, 0, 0, ...Array(33).fill(0)].join(' ');
  const frames = Array.from({ length: 20 }, (_, f) => frame(40 * Math.sin((Math.PI * f) / 10)));
  return `HIERARCHY\n${root.replace(/([{}])/g, '\n$1\n').replace(/ (CHANNELS|JOINT|End|OFFSET)/g, '\n$1')}\nMOTION\nFrames: 20\nFrame Time: 0.1\n${frames.join('\n')}\n`;
})();

function state<T>(read: (s: { undo: number; painted: boolean; mode: string; edits: Record<string, unknown> }) => T): Promise<T> {
  return page.evaluate(`(${String(read)})(window.studio.store.documentState.value)`) as Promise<T>;
}

beforeAll(async () => {
  const url = await backend.start();
  browser = await launchBrowser();
  ({ page, errors } = await openPage(browser, url));
  await page.getByTestId('view-front').click();
});
afterAll(async () => {
  await browser?.close();
  await backend.close();
});

describe(`the studio, served by ${backend.name}`, () => {
  it('shows a whole body at once', async () => {
    atRest = await silhouette(page);
    expect(atRest.share).toBeGreaterThan(0.06);
    expect(atRest.share).toBeLessThan(0.5);
    const filled = atRest.rows.filter((n) => n > 4).length / atRest.rows.length;
    expect(filled).toBeGreaterThan(0.75);
    expect(await measured(page, 'stature')).toBeGreaterThan(1.4);
  });

  it('names every control for tests and for screen readers', async () => {
    for (const tab of ['start', 'muscles', 'fat', 'bones', 'motion', 'contract', 'forces']) {
      await page.getByTestId(`tab-${tab}`).click();
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('button, input, select, canvas')]
          .filter((e) => !e.dataset.testid || !(e.getAttribute('aria-label') || e.textContent?.trim()))
          .map((e) => e.outerHTML.slice(0, 120)),
      );
      expect(nameless, tab).toEqual([]);
    }
  });

  it('grows the biceps under the mouse, and the arm measures more', async () => {
    await page.getByTestId('tab-muscles').click();
    const before = await measured(page, 'girth-upper_arm_l');
    await dragSlider(page, 'group-biceps', 0.75);
    const after = await changedMeasure('girth-upper_arm_l', before, 0.005);
    expect(after).toBeGreaterThan(before + 0.005);
    await calm();
    const grown = await silhouette(page);
    expect(difference(grown, atRest)).toBeGreaterThan(0.0004);
    expect(grown.share).toBeGreaterThan(atRest.share);
    expect(await state((s) => s.undo)).toBe(1);
  });

  it('takes it back and does it again by keys', async () => {
    const grown = await measured(page, 'girth-upper_arm_l');
    await page.getByTestId('canvas').focus();
    await page.keyboard.press('Control+z');
    const back = await changedMeasure('girth-upper_arm_l', grown, 0.004);
    expect(back).toBeLessThan(grown);
    expect(await page.getByTestId('group-biceps').inputValue()).toBe('1');
    await page.keyboard.press('Control+y');
    expect(await changedMeasure('girth-upper_arm_l', back, 0.004)).toBeCloseTo(grown, 2);
    await calm();
  });

  it('finds a muscle by its name and shows it', async () => {
    const name = await page.evaluate(() => window.studio.store.catalogue.value!.muscles.find((m) => m.group === 'calves')!);
    await page.getByTestId('muscle-search').fill(name.label.replace(/,.*/, ''));
    await page.getByTestId(`muscle-${name.name}`).click();
    expect(await page.getByTestId('selected-name').textContent()).toBe(name.label);
    expect(await page.getByTestId('selected-volume').textContent()).toMatch(/\d (ml|l)$/);
    await page.getByTestId('muscle-search').fill('');
  });

  it('fades to muscles, and a click on one chooses it', async () => {
    await page.getByTestId('selected-close').click();
    await page.getByTestId('fade-ecorche').click();
    await until(page, () => window.studio.view.layers.get(1)?.object.visible);
    await settle(page);
    const box = (await page.getByTestId('canvas').boundingBox())!;
    // Down the front of the trunk until something answers.
    for (let y = 0.3; y < 0.6 && !(await page.getByTestId('selected-muscle').isVisible()); y += 0.05) {
      await page.mouse.click(box.x + box.width * 0.47, box.y + box.height * y);
    }
    expect(await page.getByTestId('selected-muscle').isVisible()).toBe(true);
    await page.getByTestId('selected-close').click();
    await page.getByTestId('fade-skin').click();
  });

  it('compares before and after with a divider that keys move', async () => {
    await page.getByTestId('compare').click();
    const divider = page.getByTestId('compare-divider');
    await divider.focus();
    await page.keyboard.press('ArrowLeft');
    expect(Number(await divider.getAttribute('aria-valuenow'))).toBe(47);
    await until(page, () => window.studio.view.layers.get(100) !== undefined);
    await page.getByTestId('compare').click();
    expect(await divider.isVisible()).toBe(false);
  });

  it('paints fat with the brush, and undo takes the stroke away', async () => {
    await page.getByTestId('tab-fat').click();
    await page.getByTestId('brush-add').click();
    const volume = await measured(page, 'volume');
    const undo = await state((s) => s.undo);
    const box = (await page.getByTestId('canvas').boundingBox())!;
    const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
    await page.mouse.move(...at(0.48, 0.4));
    await page.mouse.down();
    for (const y of [0.41, 0.43, 0.45, 0.47]) await page.mouse.move(...at(0.5, y), { steps: 2 });
    await page.mouse.up();
    await until(page, () => window.studio.store.documentState.value!.painted);
    expect(await changedMeasure('volume', volume, 0.02)).toBeGreaterThan(volume);
    await calm();
    expect(await state((s) => s.undo)).toBe(undo + 1);
    await page.getByTestId('undo').click();
    await until(page, () => !window.studio.store.documentState.value!.painted);
    await page.getByTestId('brush-on').click();
  });

  it('drags a knee and the thigh grows longer', async () => {
    await page.getByTestId('tab-bones').click();
    await settle(page);
    const box = (await page.getByTestId('canvas').boundingBox())!;
    const knee = await page.evaluate(
      ([w, h]) => window.studio.view.handles.screenPositions(window.studio.view.stage.camera, w!, h!).find((p) => ['knee_l', 'thigh_l'].includes(p.id))!,
      [box.width, box.height],
    );
    const stature = await measured(page, 'stature');
    await page.mouse.move(box.x + knee.x, box.y + knee.y);
    await page.mouse.down();
    await page.mouse.move(box.x + knee.x, box.y + knee.y + 12, { steps: 4 });
    await page.mouse.up();
    expect(await changedMeasure('stature', stature, 0.005)).toBeGreaterThan(stature);
    expect(await state((s) => Object.keys(s.edits).filter((t) => t.startsWith('bone:')).length)).toBe(1);
    await calm();
    await page.getByTestId('undo').click();
    await changedMeasure('stature', stature + 1, 0.99);
  });

  it('plays a motion and comes back to rest', async () => {
    await page.getByTestId('tab-motion').click();
    await page.getByTestId('view-front').click();
    const still = await silhouette(page);
    await rememberSkin(page);
    await page.getByTestId('play-wave').click();
    await until(page, () => window.studio.store.documentState.value!.mode === 'play');
    // The program first prepares the flesh to move.
    await until(page, skinMoved, 0.1);
    expect(difference(await silhouette(page, { settled: false }), still)).toBeGreaterThan(0.003);
    await page.getByTestId('motion-stop').click();
    await until(page, () => window.studio.store.documentState.value!.mode === 'rest');
    await until(page, skinRests, 0.002);
    expect(difference(await silhouette(page), still)).toBeLessThan(0.004);
  });

  it('plays a recorded motion that is dropped on it', async () => {
    await page.getByTestId('tab-start').click();
    await rememberSkin(page);
    await dropFile(page, 'raise.bvh', new TextEncoder().encode(RAISED_ARM));
    await until(page, () => window.studio.store.documentState.value!.mode === 'play');
    await until(page, skinMoved, 0.1);
    expect(await page.getByTestId('tab-motion').getAttribute('aria-selected')).toBe('true');
    await page.getByTestId('motion-stop').click();
    await until(page, skinRests, 0.002);
    await calm();
  });

  it('saves the body, and dropping the file on the page brings it back', async () => {
    const girth = await measured(page, 'girth-upper_arm_l');
    await page.getByTestId('save-menu').click();
    await page.getByTestId('save-name').fill('grown');
    const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.getByTestId('save-sinew').click()]);
    expect(download.suggestedFilename()).toBe('grown.sinew');
    const content = await readFile((await download.path())!);
    await page.getByTestId('reset').click();
    const reset = await changedMeasure('girth-upper_arm_l', girth, 0.004);
    await calm();
    await dropFile(page, 'again.sinew', content);
    const again = await changedMeasure('girth-upper_arm_l', reset, 0.004);
    expect(again).toBeCloseTo(girth, 2);
    await calm();
  });

  it('shows a mesh that is dropped on it beside the body', async () => {
    await page.getByTestId('view-front').click();
    const before = await silhouette(page);
    // A board in front of the camera, beside the body.
    const board = 'v 0.5 0.2 0\nv 0.75 0.2 0\nv 0.75 1.4 0\nv 0.5 1.4 0\nf 1 2 3\nf 1 3 4\n';
    await dropFile(page, 'board.obj', new TextEncoder().encode(board));
    await until(page, () => [...window.studio.view.layers.all()].some((layer) => layer.mesh >= 16 && layer.mesh < 100));
    expect(relit(before, await silhouette(page))).toBeGreaterThan(0.01);
  });

  it('says what is wrong with a file and what to do', async () => {
    await dropFile(page, 'broken.sinew', new TextEncoder().encode('{}'));
    const toast = page.getByTestId('toast-error');
    await toast.first().waitFor(PATIENCE);
    expect((await toast.first().textContent())!.length).toBeGreaterThan(20);
    await page.getByTestId('toast-dismiss').first().click();
  });

  it('loses the connection, says so, and recovers with the edits', async () => {
    await page.getByTestId('tab-muscles').click();
    const before = await measured(page, 'girth-calf_l');
    await dragSlider(page, 'group-calves', 0.7);
    await changedMeasure('girth-calf_l', before, 0.002);
    await calm();
    const value = await page.getByTestId('group-calves').inputValue();
    await backend.stop();
    await page.getByTestId('connection-banner').waitFor(PATIENCE);
    await backend.restart();
    await page.getByTestId('connection-banner').waitFor({ state: 'detached', ...PATIENCE });
    await until(page, () => 'muscle:calves' in (window.studio.store.documentState.value?.edits ?? {}));
    expect(await page.getByTestId('group-calves').inputValue()).toBe(value);
    await calm();
    expect((await silhouette(page)).share).toBeGreaterThan(0.06);
  });

  it('fits a tablet: nothing sticks out, and everything is within reach', async () => {
    await page.setViewportSize({ width: 820, height: 1180 });
    await page.getByTestId('measures').waitFor({ state: 'detached' });
    await page.getByTestId('view-front').click();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.top-bar button, .rail button')].filter((b) => b.getBoundingClientRect().right > window.innerWidth).length,
    );
    expect(outside).toBe(0);
    expect((await silhouette(page)).share).toBeGreaterThan(0.03);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByTestId('measures').waitFor();
  });

  it('changes between dark and light', async () => {
    const backdrop = async () => {
      const box = (await page.getByTestId('canvas').boundingBox())!;
      return (await page.screenshot({ clip: { x: box.x + 5, y: box.y + 60, width: 4, height: 4 } })).length && page.evaluate(() => document.documentElement.dataset.theme);
    };
    expect(await backdrop()).toBe('dark');
    await page.getByTestId('theme').click();
    expect(await backdrop()).toBe('light');
  });

  it('left no error in the browser', () => {
    expect(errors).toEqual([]);
  });
});
