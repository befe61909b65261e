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
