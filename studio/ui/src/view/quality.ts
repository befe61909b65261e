// How much the picture may cost. Without a graphics card every pixel is computed by the processor that also runs the solver.

export interface Quality {
  shadowSize: number;
  largestPixelRatio: number;
  /** While things move: pixels per pixel of the page, and whether shadows wait until they rest. */
  movingPixelRatio: number;
  shadowsWait: boolean;
}

export const HIGH: Quality = { shadowSize: 2048, largestPixelRatio: 2, movingPixelRatio: 2, shadowsWait: false };
export const LOW: Quality = { shadowSize: 1024, largestPixelRatio: 1, movingPixelRatio: 0.5, shadowsWait: true };

export function isSoftwareRenderer(name: string): boolean {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** `?quality=high` or `?quality=low` in the address decides; else what draws does. */
export function chooseQuality(search: string, context: WebGL2RenderingContext | WebGLRenderingContext): Quality {
  const asked = new URLSearchParams(search).get('quality');
  if (asked === 'high') return HIGH;
  if (asked === 'low') return LOW;
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return isSoftwareRenderer(name) ? LOW : HIGH;
}

/** Pictures further apart than this, in ms, are not a motion. */
export const REST_MS = 220;

export interface Moment {
  /** The body has another shape than in the last picture. */
  isReshaped: boolean;
  wasQuick: boolean;
  /** Since the last picture was on the screen, ms. */
  sinceLast: number;
}

/**
 * Whether the next picture is to be a quick one, with a good one after it when things rest. Where drawing is slow, a new shape
 * is shown quickly at once: a good picture of it would take so long that the next one seemed to come after a rest again.
 */
export function isQuickPicture(quality: Quality, now: Moment): boolean {
  return quality.shadowsWait && (now.isReshaped || now.wasQuick || now.sinceLast < REST_MS);
}
