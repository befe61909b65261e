// The soft dark under the feet: the body seen from below, nearness to the ground as darkness, blurred twice.
import * as THREE from 'three';

const SIZE = 256;
const WIDTH_M = 2.4;
const REACH_M = 0.28;

const BLUR = /* glsl */ `
varying vec2 vUv; uniform sampler2D map; uniform vec2 step;
void main() {
  float sum = 0.0;
  for (int i = -6; i <= 6; ++i) sum += texture2D(map, vUv + float(i) * step).a * exp(-float(i * i) / 16.0);
  gl_FragColor = vec4(0.0, 0.0, 0.0, sum / 7.0);
}`;

export class ContactShadow {
  readonly plane: THREE.Mesh;
  private readonly camera = new THREE.OrthographicCamera(-WIDTH_M / 2, WIDTH_M / 2, WIDTH_M / 2, -WIDTH_M / 2, 0, REACH_M);
  private readonly first = new THREE.WebGLRenderTarget(SIZE, SIZE);
  private readonly second = new THREE.WebGLRenderTarget(SIZE, SIZE);
  private readonly depth = new THREE.MeshDepthMaterial();
  private readonly blur: THREE.ShaderMaterial;
  private readonly quad: THREE.Mesh;
  private readonly quadCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor(private readonly body: THREE.Object3D) {
    const material = new THREE.MeshBasicMaterial({ map: this.first.texture, transparent: true, opacity: 0.62, depthWrite: false, toneMapped: false });
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(WIDTH_M, WIDTH_M), material);
    // Flat on the ground, its picture the way the camera below sees it.
    this.plane.rotation.x = -Math.PI / 2;
    this.plane.scale.y = -1;
    material.side = THREE.DoubleSide;
    this.depth.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        'gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );',
        'float near = 1.0 - fragCoordZ; gl_FragColor = vec4( vec3( 0.0 ), near * near );',
      );
    };
    this.depth.blending = THREE.NoBlending;
    this.blur = new THREE.ShaderMaterial({
      uniforms: { map: { value: null }, step: { value: new THREE.Vector2() } },
      vertexShader: 'varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
      fragmentShader: BLUR,
      depthTest: false,
      blending: THREE.NoBlending,
    });
    this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.blur);
    this.quad.frustumCulled = false;
  }

  update(renderer: THREE.WebGLRenderer, scene: THREE.Scene): void {
    const ground = this.plane.position.y;
    this.camera.position.set(0, ground, 0);
    this.camera.rotation.set(Math.PI / 2, 0, 0);
    this.camera.updateMatrixWorld();
    const background = scene.background;
    const others = scene.children.filter((child) => child !== this.body && child.visible);
    others.forEach((child) => (child.visible = false));
    scene.background = null;
    scene.overrideMaterial = this.depth;
    const alpha = renderer.getClearAlpha();
    const autoUpdate = renderer.shadowMap.needsUpdate;
    renderer.shadowMap.needsUpdate = false;
    renderer.setClearAlpha(0);
    renderer.setScissorTest(false);
    renderer.setRenderTarget(this.first);
    renderer.clear();
    renderer.render(scene, this.camera);
    scene.overrideMaterial = null;
    for (const spread of [2.2, 0.9]) {
      this.pass(renderer, this.first, this.second, spread / SIZE, 0);
      this.pass(renderer, this.second, this.first, 0, spread / SIZE);
    }
    renderer.setRenderTarget(null);
    renderer.setClearAlpha(alpha);
    renderer.shadowMap.needsUpdate = autoUpdate;
    scene.background = background;
    others.forEach((child) => (child.visible = true));
  }

  private pass(renderer: THREE.WebGLRenderer, from: THREE.WebGLRenderTarget, to: THREE.WebGLRenderTarget, x: number, y: number): void {
    this.blur.uniforms.map!.value = from.texture;
    (this.blur.uniforms.step!.value as THREE.Vector2).set(x, y);
    renderer.setRenderTarget(to);
    renderer.render(this.quad as unknown as THREE.Scene, this.quadCamera);
  }
}
