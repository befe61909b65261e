// The room that the body stands in: renderer, camera, light, ground; draws only when something changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { ContactShadow } from './contact_shadow';
import { cameraFor, stepBack } from './framing';
import { chooseQuality, isQuickPicture, REST_MS, type Quality } from './quality';
import { makeSoftLight } from './soft_light';
import { radialGradient } from './textures';

export type ViewName = 'front' | 'back' | 'left' | 'right' | 'three-quarter';
const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  front: [0, 0.02, 1],
  back: [0, 0.02, -1],
  left: [1, 0.02, 0],
  right: [-1, 0.02, 0],
  'three-quarter': [0.55, 0.12, 1],
};

/** How dark the key light's shadow is. */
const SHADOW = 0.72;
/** After the good skin, the rest is compiled. */
const INSIDE_DELAY_MS = 1500;
/** Between the middle and the rim of the backdrop: the one shade of the first picture. */
const PLAIN_SHADE = 0.4;
/** The mark that says how long after its opening the page showed a body. */
const FIRST_PICTURE = 'first-picture';

/** What the compiler is given before there is anything to draw. */
export interface Examples {
  /** Of the first picture, which somebody waits for: little, and plain. */
  first(): THREE.Object3D;
  /** The skin as it is drawn afterwards. */
  skin(): THREE.Object3D;
  /** The skin when it fades, and what is under it. */
  inside(): THREE.Object3D;
  onFirstPicture(): void;
  /** The good skin may be used now. */
  onReady(): void;
}

export interface SplitPass {
  /** Share of the width that belongs to the picture before. */
  at: number;
  showBefore(): void;
  showAfter(): void;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(26, 1, 0.05, 60);
  readonly controls: OrbitControls;
  split: SplitPass | null = null;
  /** Called before each picture, for things that follow the camera. */
  onBeforeDraw: () => void = () => {};
  private readonly key = new THREE.DirectionalLight(0xfff4ea, 3.3);
  private readonly rim = new THREE.DirectionalLight(0xc9daff, 1.0);
  private readonly fill = makeSoftLight();
  private readonly contact: ContactShadow;
  private readonly quality: Quality;
  private needsDraw = true;
  private needsShadows = true;
  private lastDraw = 0;
  /** The picture on the screen is a quick one; a good one follows when things rest. */
  private isHurried: boolean;
  /** Drawn with little, until the shaders of the good picture are compiled. */
  private isPlain = true;
  private isUnderWay = false;
  private backdrop: THREE.Texture | null = null;
  private flight: { from: THREE.Vector3; to: THREE.Vector3; target: THREE.Vector3; start: number; targetFrom: THREE.Vector3 } | null = null;
  private centre = new THREE.Vector3(0, 0.9, 0);
  private height = 1.8;
  /** An empty room is not worth a picture: the first one would only keep the body waiting. */
  private hasSubject = false;
  framesDrawn = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    body: THREE.Object3D,
    private readonly examples: Examples,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.quality = chooseQuality(window.location.search, this.renderer.getContext());
    this.isHurried = this.quality.shadowsWait;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    // Asking for errors waits for the compiler; unit tests of the shaders' text would not find them either.
    this.renderer.debug.checkShaderErrors = import.meta.env.DEV;
    this.renderer.shadowMap.autoUpdate = false;
    this.contact = new ContactShadow(body);
    this.contact.plane.visible = false;
    this.scene.add(body, this.fill, this.key, this.key.target, this.rim, this.contact.plane);
    this.placeLights();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.35;
    this.controls.maxDistance = 9;
    this.controls.maxPolarAngle = Math.PI * 0.62;
    this.controls.addEventListener('change', () => this.invalidate());
    this.look('three-quarter', false);
    // Compiles while the body is still on its way.
    this.renderer.compile(this.examples.first(), this.camera, this.scene);
    const tick = () => {
      requestAnimationFrame(tick);
      this.step();
    };
    requestAnimationFrame(tick);
  }

  /** The canvas has its place in the page: follows its size from now on. */
  occupy(room: HTMLElement): void {
    new ResizeObserver(() => this.resize()).observe(room);
    this.resize();
  }

  /** Ask for a picture at the next animation frame. */
  invalidate(): void {
    this.needsDraw = true;
  }
  /** The body's shape changed: its shadows too. */
  invalidateShadows(): void {
    this.needsShadows = true;
    this.needsDraw = true;
  }

  setBackground(inner: string, outer: string): void {
    this.backdrop?.dispose();
    this.backdrop = radialGradient(inner, outer);
    if (!this.isPlain) this.scene.background = this.backdrop;
    this.renderer.setClearColor(new THREE.Color(inner).lerp(new THREE.Color(outer), PLAIN_SHADE));
    this.invalidate();
  }

  /** Where the body stands and how tall it is, for the camera and the lights. */
  setSubject(box: THREE.Box3): void {
    this.hasSubject = true;
    this.contact.plane.position.y = box.min.y;
    this.setBounds(box);
  }

  /** The same body has grown or moved; the ground stays. */
  setBounds(box: THREE.Box3): void {
    box.getCenter(this.centre);
    this.height = Math.max(0.3, box.max.y - box.min.y);
    this.placeLights();
  }

  look(view: ViewName, animated = true): void {
    const direction = new THREE.Vector3(...DIRECTIONS[view]).normalize();
    const { position, target } = cameraFor(this.centre, this.height, direction, this.camera);
    this.flyTo(position, target, animated);
  }

  /** Brings a place to the middle and nearer, keeping the direction of the look. */
  focus(box: THREE.Box3): void {
    const target = box.getCenter(new THREE.Vector3());
    const radius = Math.max(0.12, box.getSize(new THREE.Vector3()).length() / 2);
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const distance = (1.7 * radius) / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2));
    this.flyTo(target.clone().addScaledVector(direction, Math.max(0.7, distance)), target, true);
  }

  private flyTo(position: THREE.Vector3, target: THREE.Vector3, animated: boolean): void {
    const isStill = !animated || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (isStill) {
      this.camera.position.copy(position);
      this.controls?.target.copy(target);
      this.camera.lookAt(target);
      this.controls?.update();
      this.flight = null;
    } else {
      this.flight = {
        from: this.camera.position.clone(),
        to: position,
        targetFrom: this.controls.target.clone(),
        target,
        start: performance.now(),
      };
    }
    this.invalidate();
  }

  /** Turns (radians) and zooms (factor of the distance) by key. */
  nudge(azimuth: number, polar: number, zoom: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new THREE.Spherical().setFromVector3(offset);
    s.theta += azimuth;
    s.phi = THREE.MathUtils.clamp(s.phi + polar, 0.05, this.controls.maxPolarAngle);
    s.radius = THREE.MathUtils.clamp(s.radius * zoom, this.controls.minDistance, this.controls.maxDistance);
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(s));
    this.controls.update();
    this.invalidate();
  }

  /** The picture as a PNG. */
  snapshot(): Promise<Blob> {
    this.draw();
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
    );
  }

  private placeLights(): void {
    const reach = 0.75 * this.height;
    this.key.position.copy(this.centre).add(new THREE.Vector3(1.9, 1.9, 1.9).multiplyScalar(this.height / 1.8));
    this.key.target.position.copy(this.centre);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(this.quality.shadowSize, this.quality.shadowSize);
    // Until the first shadows are drawn, what is in their map would darken everything.
    this.key.shadow.intensity = this.key.shadow.map ? SHADOW : 0;
    this.key.shadow.radius = 4;
    this.key.shadow.normalBias = 0.006;
    this.key.shadow.bias = -0.0004;
    const camera = this.key.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.5;
    camera.far = 8;
    camera.updateProjectionMatrix();
    this.rim.position.copy(this.centre).add(new THREE.Vector3(-2.2, 1.3, -1.6));
  }

  private resize(): void {
    const parent = this.canvas.parentElement ?? this.canvas;
    const width = Math.max(1, parent.clientWidth);
    const height = Math.max(1, parent.clientHeight);
    const largest = this.isHurried ? this.quality.movingPixelRatio : this.quality.largestPixelRatio;
    this.renderer.setPixelRatio(Math.min(largest, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.stepBackFor(width / height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** What fitted into the picture still does when its proportions change. */
  private stepBackFor(aspect: number): void {
    const ratio = stepBack(aspect) / stepBack(this.camera.aspect);
    if (ratio === 1 || !this.hasSubject || !this.controls) return;
    this.camera.position.sub(this.controls.target).multiplyScalar(ratio).add(this.controls.target);
    this.flight?.to.sub(this.flight.target).multiplyScalar(ratio).add(this.flight.target);
  }

  private step(): void {
    if (this.flight) {
      const t = Math.min(1, (performance.now() - this.flight.start) / 450);
      const eased = t * t * (3 - 2 * t);
      this.camera.position.lerpVectors(this.flight.from, this.flight.to, eased);
      this.controls.target.lerpVectors(this.flight.targetFrom, this.flight.target, eased);
      if (t === 1) this.flight = null;
      this.invalidate();
    }
    this.controls.update();
    if (!this.hasSubject || this.isUnderWay) return;
    const sinceLast = performance.now() - this.lastDraw;
    if (this.needsDraw) {
      const isFirst = this.framesDrawn === 0;
      this.setHurried(isQuickPicture(this.quality, { isReshaped: this.needsShadows || isFirst, wasQuick: this.isHurried, sinceLast }));
      this.drawAndWait(isFirst);
    } else if (this.isHurried && sinceLast > REST_MS) {
      this.setHurried(false);
      this.drawAndWait(false);
    }
  }

  /** Where drawing is slow, no picture is asked for before the last one is there: they would queue up, and input behind them. */
  private drawAndWait(isFirst: boolean): void {
    this.draw();
    this.lastDraw = performance.now();
    if (!isFirst && !this.quality.shadowsWait) return;
    this.isUnderWay = true;
    this.whenDrawn(() => {
      this.isUnderWay = false;
      this.lastDraw = performance.now();
      if (!isFirst) return;
      performance.mark(FIRST_PICTURE);
      this.examples.onFirstPicture();
      this.becomeGood();
    });
  }

  /** Calls back once all that was asked of the graphics so far has been drawn. */
  private whenDrawn(then: () => void): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const ask = () => {
      if (fence && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) {
        setTimeout(ask, 5);
        return;
      }
      gl.deleteSync(fence);
      then();
    };
    setTimeout(ask);
  }

  /** The first picture is there; the shaders of the good ones are compiled beside it and then take over. */
  private becomeGood(): void {
    const skin = this.examples.skin();
    skin.add(new THREE.Mesh(this.contact.plane.geometry, this.contact.plane.material));
    this.renderer.compile(skin, this.camera, this.scene);
    this.whenDrawn(() => {
      this.isPlain = false;
      this.scene.background = this.backdrop;
      this.contact.plane.visible = true;
      this.examples.onReady();
      this.invalidateShadows();
      // What is under the skin may be looked at soon.
      setTimeout(() => this.renderer.compile(this.examples.inside(), this.camera, this.scene), INSIDE_DELAY_MS);
    });
  }

  /** No picture is waited for, and the last one was a good one. */
  get isSettled(): boolean {
    return !this.needsDraw && !this.isUnderWay && !this.isHurried && !this.isPlain && !this.needsShadows && this.flight === null;
  }

  private setHurried(isHurried: boolean): void {
    if (isHurried === this.isHurried) return;
    this.isHurried = isHurried;
    this.resize();
  }

  private draw(): void {
    this.needsDraw = false;
    this.onBeforeDraw();
    if (this.needsShadows && !this.isHurried && !this.isPlain) {
      this.split?.showAfter();
      this.renderer.shadowMap.needsUpdate = true;
      this.key.shadow.intensity = SHADOW;
      this.contact.update(this.renderer, this.scene);
      this.needsShadows = false;
    }
    this.framesDrawn += 1;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (!this.split) {
      this.renderer.setScissorTest(false);
      this.renderer.render(this.scene, this.camera);
      return;
    }
    const x = Math.round(size.x * this.split.at);
    this.renderer.setScissorTest(true);
    this.renderer.setScissor(0, 0, x, size.y);
    this.split.showBefore();
    this.renderer.render(this.scene, this.camera);
    this.renderer.setScissor(x, 0, size.x - x, size.y);
    this.split.showAfter();
    this.renderer.render(this.scene, this.camera);
    this.renderer.setScissorTest(false);
  }
}
