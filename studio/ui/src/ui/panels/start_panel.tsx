import { readable } from '../../model/format';
import * as store from '../../model/store';
import { session } from '../../session';
import { Section } from '../controls';
import { ScanSection } from './scan_section';
import { ShapeSection } from './shape_section';
import { WholeBodySlider } from './whole_body_slider';

/** A whole body in a few moves: its size, its fat, and recipes to begin with. */
export function StartPanel({ pickFile }: { pickFile(accept: string, take: (file: File) => void): void }) {
  const { recipes } = store.catalogue.value!;
  return (
    <>
      <p class="hint">Pick a recipe, then change what you like. Everything can be undone.</p>
      <Section title="Size">
        <WholeBodySlider target="stature" testid="start-stature" label="Stature" />
        <WholeBodySlider target="body_fat" testid="start-body-fat" label="Body fat" />
      </Section>
      <ScanSection pickFile={pickFile} />
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
      <ShapeSection />
    </>
  );
}

async function applyRecipe(name: string): Promise<void> {
  if (await session.command('recipe', { name })) store.announce(`Recipe ${readable(name)}`);
}
