import { useState } from 'preact/hooks';
import * as store from '../model/store';
import type { LayerName } from '../protocol/types';
import { session } from '../session';
import { Button, Switch } from './controls';
import { Menu } from './menu';

export interface TopBarActions {
  pickFiles(accept: string): void;
  takePicture(): void;
  showHelp(): void;
}

const EXPORTS: { ending: string; label: string }[] = [
  { ending: 'glb', label: 'GLB, for Blender and game engines' },
  { ending: 'obj', label: 'OBJ, the skin as a mesh' },
  { ending: 'usda', label: 'USDA, for film tools' },
  { ending: 'vtu', label: 'VTU, tetrahedra for ParaView' },
  { ending: 'xml', label: 'MJCF, a model for MuJoCo' },
  { ending: 'osim', label: 'OSIM, a model for OpenSim' },
  { ending: 'json', label: 'Recipe, the changes alone' },
];

const INSIDE: { name: LayerName; label: string }[] = [
  { name: 'muscles', label: 'Muscles' },
  { name: 'bones', label: 'Bones' },
  { name: 'envelope', label: 'Muscle envelope' },
  { name: 'fibres', label: 'Muscle fibres' },
  { name: 'tets', label: 'Tetrahedra by tissue' },
];

export const ACCEPTED = '.sinew,.json,.bvh,.obj,.ply,.stl,.glb,.gltf,.fbx,.off,.vtu,.osim,.xml';

export function TopBar(actions: TopBarActions) {
  const state = store.documentState.value;
  const hasBody = state !== null && state.mode !== 'loading';
  return (
    <header class="top-bar">
      <h1>
        Sinew <span>studio</span>
      </h1>
      <div class="tools" role="toolbar" aria-label="Edit">
        <Button testid="undo" label="Undo" hint="Undo (Ctrl+Z)" icon="undo" disabled={!state?.undo} onClick={() => void session.undo()} />
        <Button testid="redo" label="Redo" hint="Redo (Ctrl+Y)" icon="redo" disabled={!state?.redo} onClick={() => void session.redo()} />
        <Button testid="reset" label="Reset" hint="Back to the beginning" icon="reset" disabled={!hasBody} onClick={() => void session.reset()} />
      </div>
      <Switch testid="symmetric" label="Symmetric" hint="Change both sides at once" on={store.isSymmetric.value} onToggle={(on) => (store.isSymmetric.value = on)} />
      <span class="spacer" />
      <div class="tools" role="toolbar" aria-label="View and files">
        <Button
          testid="compare"
          label="Before and after"
          hint="Before and after (C)"
          icon="compare"
          pressed={store.isComparing.value}
          disabled={!hasBody}
          onClick={() => (store.isComparing.value = !store.isComparing.value)}
        />
        <LayersMenu />
        <Button testid="screenshot" label="Save a picture" icon="camera" onClick={actions.takePicture} />
        <Button testid="open-file" label="Open a file" icon="open" hint="Open a file (or drop it on the page)" onClick={() => actions.pickFiles(ACCEPTED)} />
        <SaveMenu />
        <Button
          testid="toggle-measures"
          label="Measures"
          icon="ruler"
          pressed={store.showsMeasures.value}
          onClick={() => (store.showsMeasures.value = !store.showsMeasures.value)}
        />
        <Button
          testid="theme"
          label={store.theme.value === 'dark' ? 'Light colours' : 'Dark colours'}
          icon={store.theme.value === 'dark' ? 'sun' : 'moon'}
          onClick={() => (store.theme.value = store.theme.value === 'dark' ? 'light' : 'dark')}
        />
        <Button testid="help" label="Help" icon="help" hint="Help (?)" onClick={actions.showHelp} />
      </div>
    </header>
  );
}

function LayersMenu() {
  const toggle = (name: LayerName, on: boolean) => {
    const layers = new Set(store.insideLayers.value);
    if (on) layers.add(name);
    else layers.delete(name);
    store.insideLayers.value = layers;
    // A layer that was asked for must be seen: the skin gives way.
    if (on && store.fade.value < 0.5) store.fade.value = 1;
  };
  return (
    <Menu testid="layers-menu" label="Layers" icon="layers">
      {() => (
        <>
          <p class="hint">Seen as the skin fades</p>
          {INSIDE.map((layer) => (
            <Switch
              key={layer.name}
              testid={`layer-${layer.name}`}
              label={layer.label}
              on={store.insideLayers.value.has(layer.name)}
              onToggle={(on) => toggle(layer.name, on)}
            />
          ))}
        </>
      )}
    </Menu>
  );
}

function SaveMenu() {
  const [name, setName] = useState('my_body');
  const stem = name.trim().replace(/[^\w-]+/g, '_') || 'my_body';
  return (
    <Menu testid="save-menu" label="Save and export" icon="save">
      {(close) => (
        <>
          <label class="field">
            <span>Name</span>
            <input data-testid="save-name" aria-label="File name" value={name} onInput={(e) => setName(e.currentTarget.value)} />
          </label>
          <button type="button" class="menu-item" data-testid="save-sinew" aria-label="Save the body as a .sinew file"
            onClick={() => { close(); void session.save(`${stem}.sinew`); }}>
            <strong>SINEW</strong> the whole body, to go on later
          </button>
          {EXPORTS.map(({ ending, label }) => (
            <button type="button" key={ending} class="menu-item" data-testid={`export-${ending}`} aria-label={`Export ${label}`}
              onClick={() => { close(); void session.exportAs(`${stem}.${ending}`); }}>
              <strong>{label.split(',')[0]}</strong> {label.split(', ')[1]}
            </button>
          ))}
        </>
      )}
    </Menu>
  );
}
