// Debian's Chromium with WebGL by software, and pictures as numbers.
import { chromium, type Browser, type Page } from 'playwright-core';
import { PNG } from 'pngjs';
import type { BodyView } from '../../src/view/body_view';
import type * as Store from '../../src/model/store';

declare global {
  interface Window {
    studio: { view: BodyView; store: typeof Store };
  }
}

const SOFTWARE_WEBGL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox', '--mute-audio'];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: SOFTWARE_WEBGL });
}

/** Asks until the answer is yes. Page.waitForFunction would need eval, which the server's content policy forbids. */
export async function until<T = undefined>(page: Page, question: (argument: T) => unknown, argument?: T, patienceMs = 40_000): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await page.evaluate(question as (argument: unknown) => unknown, argument))) {
    if (Date.now() > end) throw new Error(`waited ${patienceMs} ms in vain for ${String(question)}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

/** A page with its errors gathered: no test may leave any. */
export async function openPage(browser: Browser, url: string, size = { width: 1280, height: 720 }): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: size, colorScheme: 'dark', reducedMotion: 'reduce', acceptDownloads: true });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A lost connection is reported by the browser itself; the tests lose it on purpose.
    if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION/.test(message.text())) errors.push(message.text());
    // What a shader that does not compile leaves behind.
    if (/WebGL: INVALID/.test(message.text())) errors.push(message.text());
  });
  await page.goto(url);
  await until(page, () => window.studio?.store.hasPicture.value && window.studio.view.isSettled);
  return { page, errors };
}

/** Waits for a good picture of all that was asked for so far: with its shadows and creases, and at its full resolution. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => window.studio.view.stage.invalidate());
  await until(page, () => window.studio.view.isSettled);
}

export interface Silhouette {
  /** Share of the picture that shows the body. */
  share: number;
  /** Pixels of body in each row. */
  rows: number[];
  pixels: Uint8Array;
  /** Brightness of every pixel. */
  grey: Uint8Array;
  width: number;
  height: number;
}

/** Messages, running jobs and buttons lie over the picture, and some are as warm as skin. */
const PICTURE_ALONE = '.stage > :not(.picture), .toasts { visibility: hidden !important; }';

/** The body is warm (more red than blue) and the dark backdrop cold, so no reference picture is needed. */
export async function silhouette(page: Page, options = { settled: true }): Promise<Silhouette> {
  if (options.settled) await settle(page);
  const box = (await page.getByTestId('canvas').boundingBox())!;
  const clip = { x: box.x, y: box.y + 52, width: box.width, height: box.height - 120 };
  const png = PNG.sync.read(await page.screenshot({ clip, timeout: 120_000, style: PICTURE_ALONE }));
  const rows: number[] = [];
  const pixels = new Uint8Array(png.width * png.height);
  const grey = pixels.map((_, i) => (png.data[4 * i]! + png.data[4 * i + 1]! + png.data[4 * i + 2]!) / 3);
  for (let y = 0; y < png.height; ++y) {
    let count = 0;
    for (let x = 0; x < png.width; ++x) {
      const i = 4 * (y * png.width + x);
      const isBody = png.data[i]! > png.data[i + 2]! + 8;
      if (isBody) count += pixels[y * png.width + x] = 1;
    }
    rows.push(count);
  }
  const total = rows.reduce((a, b) => a + b, 0);
  return { share: total / pixels.length, rows, pixels, grey, width: png.width, height: png.height };
}

/** Share of the picture where one silhouette has body and the other none. */
export function difference(a: Silhouette, b: Silhouette): number {
  let count = 0;
  for (let i = 0; i < a.pixels.length; ++i) count += a.pixels[i] === b.pixels[i] ? 0 : 1;
  return count / a.pixels.length;
}

/** Share of the picture that became clearly brighter or darker. */
export function relit(a: Silhouette, b: Silhouette): number {
  return a.grey.filter((grey, i) => Math.abs(grey - b.grey[i]!) > 20).length / a.grey.length;
}

export async function measured(page: Page, id: string): Promise<number> {
  return Number(await page.getByTestId(`measure-${id}-value`).getAttribute('data-value'));
}

/** Drags a slider's thumb with the mouse to a share of its length. */
export async function dragSlider(page: Page, testid: string, to: number): Promise<void> {
  const slider = page.getByTestId(testid);
  await slider.scrollIntoViewIfNeeded();
  const box = (await slider.boundingBox())!;
  const at = await slider.evaluate((input: HTMLInputElement) => (Number(input.value) - Number(input.min)) / (Number(input.max) - Number(input.min)));
  const x = (share: number) => box.x + 9 + share * (box.width - 18);
  const y = box.y + box.height / 2;
  await page.mouse.move(x(at), y);
  await page.mouse.down();
  await page.mouse.move(x((at + to) / 2), y, { steps: 3 });
  await page.mouse.move(x(to), y, { steps: 3 });
  await page.mouse.up();
}

/** Keeps the skin's places, to ask later how far it has moved. */
export async function rememberSkin(page: Page): Promise<void> {
  await page.evaluate(() => {
    const places = () => window.studio.view.layers.get(0)!.object.geometry.getAttribute('position').array as Float32Array;
    const then = places();
    const distance = () => {
      const now = places();
      return then.reduce((most, x, i) => Math.max(most, Math.abs(x - now[i]!)), 0);
    };
    Object.assign(window, { skinDistance: distance });
  });
}
/** For `until`: some place of the skin is further away than so many metres, or none is. */
export const skinMoved = (metres: number | undefined) => (window as unknown as { skinDistance(): number }).skinDistance() > metres!;
export const skinRests = (metres: number | undefined) => (window as unknown as { skinDistance(): number }).skinDistance() < metres!;

/** Drops a file on the page as a hand would. */
export async function dropFile(page: Page, name: string, content: Uint8Array): Promise<void> {
  const base64 = Buffer.from(content).toString('base64');
  const transfer = await page.evaluateHandle(
    ([fileName, data]) => {
      const bytes = Uint8Array.from(atob(data!), (c) => c.charCodeAt(0));
      const t = new DataTransfer();
      t.items.add(new File([bytes], fileName!));
      return t;
    },
    [name, base64],
  );
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}
