import { useState } from 'preact/hooks';
import { SCAN_FILES, type ScanSex, weightFrom } from '../../model/scans';
import { session } from '../../session';
import { Button, Section } from '../controls';

/** A scan of a person becomes the body: bones, muscles and fat inside its skin. */
export function ScanSection({ pickFile }: { pickFile(accept: string, take: (file: File) => void): void }) {
  const [sex, setSex] = useState<ScanSex>('auto');
  const [weight, setWeight] = useState('');
  const [isBusy, setBusy] = useState(false);
  const fit = async (file: File) => {
    setBusy(true);
    await session.fitScan(file, { sex, weight: weightFrom(weight) });
    setBusy(false);
  };
  return (
    <Section title="From a scan">
      <p class="hint">A mesh or points of one person, any unit and axes. Takes about a minute.</p>
      <label class="field">
        <span>Sex</span>
        <select data-testid="scan-sex" aria-label="Sex of the scanned person" value={sex} onChange={(e) => setSex(e.currentTarget.value as ScanSex)}>
          <option value="auto">Find out</option>
          <option value="female">Female</option>
          <option value="male">Male</option>
        </select>
      </label>
      <label class="field">
        <span>Weight</span>
        <input data-testid="scan-weight" inputMode="decimal" placeholder="kg, if known" aria-label="Weight of the scanned person in kilograms" value={weight} onInput={(e) => setWeight(e.currentTarget.value)} />
      </label>
      <div class="chips">
        <Button testid="scan-open" label={isBusy ? 'Fitting…' : 'Open a scan…'} icon="open" wide disabled={isBusy} onClick={() => pickFile(SCAN_FILES, (file) => void fit(file))} />
      </div>
    </Section>
  );
}
