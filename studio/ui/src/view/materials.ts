// Materials: skin that light enters a little, flesh with a grain, bone. All shade creases by the vertex attribute
// `cavity` and lift the part that is selected or pointed at.
import * as THREE from 'three';

export interface SharedUniforms {
  uSelected: { value: number };
  uHovered: { value: number };
  /** 1 when the painted fat map is to be seen on the skin. */
  uShowPaint: { value: number };
}

/** No part: vertices without a part have -1. */
export const NO_PART = -9;

export function makeSharedUniforms(): SharedUniforms {
  return { uSelected: { value: NO_PART }, uHovered: { value: NO_PART }, uShowPaint: { value: 0 } };
}

const NOISE = /* glsl */ `
float hash31(vec3 p) { p = fract(p * 0.1031); p += dot(p, p.zyx + 31.32); return fract((p.x + p.y) * p.z); }
float noise3(vec3 x) {
  vec3 i = floor(x), f = fract(x); f = f * f * (3.0 - 2.0 * f);
  return mix(mix(mix(hash31(i), hash31(i + vec3(1,0,0)), f.x), mix(hash31(i + vec3(0,1,0)), hash31(i + vec3(1,1,0)), f.x), f.y),
             mix(mix(hash31(i + vec3(0,0,1)), hash31(i + vec3(1,0,1)), f.x), mix(hash31(i + vec3(0,1,1)), hash31(i + vec3(1,1,1)), f.x), f.y), f.z);
}`;

const VERTEX_PARS = /* glsl */ `
attribute float cavity; attribute float part; attribute float paint; attribute vec3 grain;
varying float vCavity; varying float vPart; varying float vPaint; varying vec3 vGrain;`;
const VERTEX = /* glsl */ `
vCavity = cavity; vPart = part; vPaint = paint; vGrain = grain;`;
const FRAGMENT_PARS = /* glsl */ `
uniform float uSelected; uniform float uHovered; uniform float uShowPaint;
varying float vCavity; varying float vPart; varying float vPaint; varying vec3 vGrain;
${NOISE}`;

// Light wraps around the terminator, red furthest: what scattering in skin looks like without tracing it.
function wrapLight(fragment: string, wrap: string): string {
  const straight = 'vec3 irradiance = dotNL * directLight.color;';
  const pars = THREE.ShaderChunk.lights_physical_pars_fragment;
  if (!pars.includes(straight)) throw new Error('three.js changed its lights: the wrapped light does not fit any more');
  const wrapped = pars.replace(
    straight,
    `vec3 wrapWidth = ${wrap};
     float plainNL = dot(geometryNormal, directLight.direction);
     vec3 scattered = saturate((vec3(plainNL) + wrapWidth) / ((1.0 + wrapWidth) * (1.0 + wrapWidth)));
     vec3 irradiance = dotNL * directLight.color;
     vec3 softIrradiance = scattered * directLight.color;`,
  ).replace(
    'reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );',
    'reflectedLight.directDiffuse += softIrradiance * BRDF_Lambert( material.diffuseColor );',
  );
  return fragment.replace('#include <lights_physical_pars_fragment>', wrapped);
}

interface PatchOptions {
  shared: SharedUniforms;
  wrap: string;
  /** GLSL that may change `diffuseColor.rgb`, with vCavity, vPaint, vGrain at hand. */
  colour: string;
  /** Light that the fine hair and edges of a surface catch, seen along it. */
  fuzz: number;
}

function patch(material: THREE.MeshStandardMaterial, options: PatchOptions): THREE.MeshStandardMaterial {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, options.shared);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${VERTEX_PARS}`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>\n${VERTEX}`);
    shader.fragmentShader = wrapLight(shader.fragmentShader, options.wrap)
      .replace('#include <common>', `#include <common>\n${FRAGMENT_PARS}`)
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
         ${options.colour}`,
      )
      .replace(
        '#include <emissivemap_fragment>',
        `#include <emissivemap_fragment>
         const float fuzz = ${options.fuzz.toFixed(3)};
         float isSelected = 1.0 - step(0.5, abs(vPart - uSelected));
         float isHovered = 1.0 - step(0.5, abs(vPart - uHovered));
         float rimGlow = pow(1.0 - saturate(dot(normal, normalize(vViewPosition))), 2.0);
         totalEmissiveRadiance += diffuseColor.rgb * fuzz * rimGlow;
         totalEmissiveRadiance += isSelected * vec3(1.0, 0.62, 0.12) * (0.20 + 0.7 * rimGlow);
         totalEmissiveRadiance += isHovered * vec3(1.0, 0.85, 0.6) * (0.06 + 0.35 * rimGlow);`,
      );
  };
  material.customProgramCacheKey = () => options.wrap + options.colour + options.fuzz;
  return material;
}

export function makeSkinMaterial(shared: SharedUniforms): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({
    color: 0xcda48e,
    vertexColors: true,
    roughness: 0.52,
    transparent: true,
  });
  return patch(material, {
    shared,
    wrap: 'vec3(0.34, 0.13, 0.08)',
    fuzz: 0.12,
    colour: `
      float crease = saturate(vCavity), ridge = saturate(-vCavity);
      diffuseColor.rgb *= mix(vec3(1.0), vec3(0.56, 0.34, 0.28), crease * 0.85);
      diffuseColor.rgb *= 1.0 + 0.10 * ridge;
      float painted = vPaint * uShowPaint;
      float rings = 0.82 + 0.18 * smoothstep(0.25, 0.5, abs(fract(vPaint * 5.0) - 0.5));
      diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.98, 0.66, 0.16) * rings, painted * 0.78);`,
  });
}

export function makeMuscleMaterial(shared: SharedUniforms): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true,
    roughness: 0.42,
  });
  return patch(material, {
    shared,
    wrap: 'vec3(0.22, 0.05, 0.04)',
    fuzz: 0.1,
    colour: `
      float strand = noise3(vGrain * 420.0) * 0.6 + noise3(vGrain * 1100.0) * 0.4 - 0.5;
      diffuseColor.rgb *= 1.0 + 0.55 * strand;
      diffuseColor.rgb *= mix(vec3(1.0), vec3(0.30, 0.16, 0.15), saturate(vCavity) * 0.9);
      diffuseColor.rgb *= 1.0 + 0.18 * saturate(-vCavity);`,
  });
}

export function makeBoneMaterial(shared: SharedUniforms): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.6 });
  return patch(material, {
    shared,
    wrap: 'vec3(0.18, 0.14, 0.08)',
    fuzz: 0.08,
    colour: `
      float speckle = noise3(vGrain * 260.0) - 0.5;
      diffuseColor.rgb *= 1.0 + 0.12 * speckle;
      diffuseColor.rgb *= mix(vec3(1.0), vec3(0.42, 0.30, 0.20), saturate(vCavity) * 0.9);`,
  });
}

/** Skin for the first picture: a small shader that compiles at once, lit about as the good one is. */
export function makePlainSkinMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: /* glsl */ `
      varying vec3 vN;
      void main() { vN = normal; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: /* glsl */ `
      varying vec3 vN;
      void main() {
        vec3 n = normalize(vN);
        vec3 key = clamp((dot(n, vec3(0.577)) + vec3(0.34, 0.13, 0.08)) / (1.0 + vec3(0.34, 0.13, 0.08)), 0.0, 1.0);
        vec3 soft = vec3(0.20, 0.17, 0.17) + 0.10 * (0.5 + 0.5 * n.y);
        vec3 rim = 0.12 * vec3(0.79, 0.85, 1.0) * max(0.0, dot(n, vec3(-0.73, 0.43, -0.53)));
        gl_FragColor = vec4(pow(vec3(0.61, 0.37, 0.27) * (soft + 0.95 * key + rim), vec3(1.0 / 2.2)), 1.0);
      }`,
    toneMapped: false,
  });
}

/** Tetrahedra and files beside the body: plain and matte, facets seen. */
export function makeFacetMaterial(shared: SharedUniforms): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.8, flatShading: true });
  return patch(material, { shared, wrap: 'vec3(0.1)', fuzz: 0.05, colour: '' });
}
