// Makes the pictures of docs/studio.md: a walk through the studio in Chromium.
//   node scripts/studio_tour.mjs BODY.sinew [PROGRAM] [FOLDER]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const { chromium } = createRequire(join(root, 'studio/ui/package.json'))('playwright-core');
const [body, program = join(root, 'build/release/sinew'), folder = join(root, 'docs/pictures')] = process.argv.slice(2);
if (!body) {
  console.error('usage: node scripts/studio_tour.mjs BODY.sinew [PROGRAM] [FOLDER]');
  process.exit(2);
}

/** The address of a studio of our own, or of one that runs already when BODY is an address. */
async function openStudio() {
  if (body.startsWith('http')) return { url: body, close: () => {} };
  const workspace = mkdtempSync(join(tmpdir(), 'sinew-tour-'));
  const server = spawn(program, ['studio', body, '--no-browser', '--only-preview', '--workspace', workspace], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    server.stdout.once('data', (data) => resolve(String(data).split('\n')[0].trim()));
    server.once('exit', (code) => reject(new Error(`the studio ended with ${code}`)));
  });
  const close = () => {
    server.kill('SIGINT');
    rmSync(workspace, { recursive: true, force: true });
  };
  return { url, close };
}

const studio = await openStudio();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 680 }, colorScheme: 'dark', reducedMotion: 'reduce' });
page.setDefaultTimeout(180_000);
const control = (testid) => page.getByTestId(testid);

// Not page.waitForFunction: it needs eval, which the server's content policy forbids.
async function until(question) {
  for (let i = 0; i < 2000 && !(await page.evaluate(question)); ++i) await page.waitForTimeout(100);
}
async function rest() {
  const isResting = () => window.studio.store.jobs.value.size === 0 && window.studio.view.isSettled;
  await until(isResting);
  await page.waitForTimeout(900);
  await until(isResting);
}
async function picture(name) {
  await page.evaluate(() => (window.studio.store.toasts.value = []));
  await rest();
  await page.mouse.move(700, 2);
  await page.screenshot({ path: join(folder, `studio_${name}.png`), timeout: 180_000 });
  console.error(`studio_${name}.png`);
}
async function set(testid, value) {
  await control(testid).fill(String(value));
  await rest();
}
async function stroke(points) {
  const box = await control('canvas').boundingBox();
  const at = ([x, y]) => [box.x + box.width * x, box.y + box.height * y];
  await page.mouse.move(...at(points[0]));
  await page.mouse.down();
  for (const point of points.slice(1)) await page.mouse.move(...at(point), { steps: 4 });
  await page.mouse.up();
}

const steps = {
  async start() {
    await control('reset').click();
    await page.waitForTimeout(1500);
    await picture('start');
  },
  async muscles() {
    await control('tab-muscles').click();
    await set('group-shoulders', 1.3);
    await set('group-biceps', 1.4);
    await set('group-chest', 1.25);
    await control('fade-ecorche').click();
    await control('muscle-search').fill('rectus femoris');
    await control('muscle-rectus_femoris_l').click();
    await control('muscle-search').fill('');
    await control('selected-name').scrollIntoViewIfNeeded();
    await picture('muscles');
    await control('selected-close').click();
    await control('fade-skin').click();
  },
  async compare() {
    await control('view-front').click();
    await control('compare').click();
    await picture('compare');
    await control('compare').click();
    await control('view-three-quarter').click();
  },
  async fat() {
    await control('tab-fat').click();
    await control('brush-add').click();
    await stroke([[0.44, 0.4], [0.5, 0.41], [0.55, 0.43], [0.5, 0.46], [0.45, 0.47]]);
    await picture('fat');
    await control('undo').click();
    await control('brush-on').click();
  },
  async bones() {
    await control('tab-bones').click();
    await set('bone-legs', 1.1);
    await picture('bones');
    await control('reset').click();
  },
  async motion() {
    await control('tab-motion').click();
    await page.evaluate(() => (window.skinAtRest = window.studio.view.layers.get(0).object.geometry.getAttribute('position').array));
    await control('play-wave').click();
    // The hand is up.
    await until(() => {
      const now = window.studio.view.layers.get(0).object.geometry.getAttribute('position').array;
      return now.some((x, i) => Math.abs(x - window.skinAtRest[i]) > 0.4);
    });
    await page.screenshot({ path: join(folder, 'studio_motion.png'), timeout: 180_000 });
    console.error('studio_motion.png');
    await control('motion-stop').click();
  },
  async contract() {
    await control('tab-contract').click();
    await control('fade-ecorche').click();
    await set('contract-biceps', 1);
    await picture('contract');
    await control('relax').click();
    await control('fade-skin').click();
  },
  async forces() {
    await control('tab-forces').click();
    await control('forces-plot-0').waitFor();
    await picture('forces');
  },
  async tablet() {
    await control('theme').click();
    await page.setViewportSize({ width: 720, height: 960 });
    await control('tab-start').click();
    await control('recipe-athlete').click();
    await control('view-front').click();
    await page.waitForTimeout(1500);
    await picture('tablet');
  },
};

try {
  await page.goto(studio.url);
  await until(() => performance.getEntriesByName('first-picture').length > 0);
  const first = await page.evaluate(() => performance.getEntriesByName('first-picture')[0].startTime);
  console.error(`first picture ${Math.round(first)} ms after opening the page`);
  const only = process.env.ONLY?.split(',');
  for (const [name, step] of Object.entries(steps)) if (!only || only.includes(name)) await step();
} finally {
  await browser.close();
  studio.close();
}
