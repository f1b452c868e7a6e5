import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test, WRITES } from './fixtures';

const run = promisify(execFile);
/** How the examples of a language are run. */
const PROGRAMS: Record<string, [string, ...string[]]> = {
  bash: ['bash', '-euc'],
  python: ['python3', '-c'],
  javascript: ['node', '--input-type=module', '-e'],
};
/** The examples of docs/API.md that are to be run, each with its language. */
const EXAMPLES = [
  ...readFileSync(new URL('../../docs/API.md', import.meta.url), 'utf8').matchAll(/^```(\w+) run\n([\s\S]*?)^```$/gm),
].map(([, language = '', code = '']) => ({ language, code }));

test('there is an example in each language', () => {
  expect(EXAMPLES.map(({ language }) => language).sort()).toEqual(Object.keys(PROGRAMS).sort());
});

for (const { language, code } of EXAMPLES)
  test(`the example in ${language} runs as it stands`, async ({ signedIn: page }) => {
    const made = await page.request.post('/api/keys', {
      ...WRITES,
      data: { name: `example in ${language}`, scopes: ['read:lists'], days: null },
    });
    expect(made.ok(), await made.text()).toBe(true);
    const { key, data } = await made.json();
    const [program, ...first] = PROGRAMS[language] ?? [''];
    const env = { ...process.env, VIGIE_KEY: key };
    const { stdout } = await run(program, [...first, code], { env, timeout: 60_000 });
    const answer = JSON.parse(stdout);
    expect(answer.data ?? answer.terms ?? answer.compared).toBeTruthy();

    await page.request.delete(`/api/keys/${data.id}`, WRITES);
    await expect(run(program, [...first, code], { env, timeout: 60_000 })).rejects.toThrow();
  });
