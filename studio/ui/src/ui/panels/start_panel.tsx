import { centimetres, percent, readable } from '../../model/format';
import * as store from '../../model/store';
import type { Range } from '../../protocol/types';
import { session } from '../../session';
import { Section, Slider } from '../controls';

const STATURE: Range = [1.4, 2.1];
const BODY_FAT: Range = [0.05, 0.45];

/** A whole body in a few moves: its size, its fat, and recipes to begin with. */
export function StartPanel() {
  const { measures } = store.documentState.value!;
  const edits = store.edits.value;
  const { ranges, recipes } = store.catalogue.value!;
  const stature = typeof edits.stature === 'number' ? edits.stature : measures.stature_m;
  const fat = typeof edits.body_fat === 'number' ? edits.body_fat : measures.body_fat;
  return (
    <>
      <p class="hint">Pick a recipe, then change what you like. Everything can be undone.</p>
      <Section title="Size">
        <Slider
          testid="start-stature"
          label="Stature"
          value={stature}
          range={ranges.stature ?? STATURE}
          step={0.005}
          neutral={store.documentState.value!.before.stature_m}
          text={centimetres(stature, 0)}
          isSet={'stature' in edits}
          onValue={(value, dragging) => session.edit([{ target: 'stature', value }], dragging)}
          onReset={() => session.edit([{ target: 'stature', value: null }], false)}
        />
        <Slider
          testid="start-body-fat"
          label="Body fat"
          value={fat}
          range={ranges.body_fat ?? BODY_FAT}
          step={0.005}
          neutral={store.documentState.value!.before.body_fat}
          text={percent(fat, 1)}
          isSet={'body_fat' in edits}
          onValue={(value, dragging) => session.edit([{ target: 'body_fat', value }], dragging)}
          onReset={() => session.edit([{ target: 'body_fat', value: null }], false)}
        />
      </Section>
      <Section title="Recipes">
        <div class="cards">
          {recipes.map((recipe) => (
            <button
              type="button"
              key={recipe.name}
              class="card"
              data-testid={`recipe-${recipe.name}`}
              aria-label={`Recipe ${readable(recipe.name)}: ${recipe.description}`}
              onClick={() => void applyRecipe(recipe.name)}
            >
              <strong>{readable(recipe.name)}</strong>
              <span>{recipe.description}</span>
            </button>
          ))}
        </div>
      </Section>
    </>
  );
}

async function applyRecipe(name: string): Promise<void> {
  if (await session.command('recipe', { name })) store.announce(`Recipe ${readable(name)}`);
}
