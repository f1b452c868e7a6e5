// Fails when a page of the client is larger (gzip) than its budget. Makes its own build, in memory.
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const KIB = 1024;

/** The modules that each kind of page starts from, and the limit of what they load, in KiB. */
const ENTRY = ['index.html'];
const LIST = [...ENTRY, 'src/screens/domains/Domains.tsx', 'src/list/ListScreen.tsx'];
const CARDS = [...ENTRY, 'src/screens/actions/Actions.tsx', 'src/list/ListScreen.tsx', 'src/list/cards/CardsView.tsx'];
const HOME = [
  ...ENTRY,
  'src/screens/home/HomePage.tsx',
  'src/screens/home/VoiceChart.tsx',
  'src/screens/home/WeeksChart.tsx',
];
const OPERATIONS = [...ENTRY, 'src/screens/operations/Operations.tsx', 'src/screens/operations/OutcomesChart.tsx'];
const BUDGETS = [
  // Includes the route table: each screen adds its row and icon, about 0.2 KiB, to every page.
  // Of the limits, 1 to 2 KiB are the nine of alerts, received mails, mail runs, the guide, the report and Google.
  { name: 'entry', from: ENTRY, js: 206, css: 40 },
  { name: 'list before the grid', from: LIST, js: 259 },
  { name: 'list with the grid', from: [...LIST, 'src/list/DataGrid.tsx'], js: 467 },
  { name: 'list of cards', from: CARDS, js: 272 },
  { name: 'home with the chart', from: HOME, js: 340 },
  { name: 'operations with the chart', from: OPERATIONS, js: 352 },
  ...[
    'login/Login',
    'logout/Logout',
    'forgot/Forgot',
    'reset/Reset',
    'profile/Profile',
    'not-found/NotFound',
    'capture/Capture',
    'mail-templates/MailTemplates',
    'alerts/Alerts',
    'unmatched-mails/UnmatchedMails',
    'mail-runs/MailRuns',
    'help/Help',
  ].map((screen) => ({
    name: `route ${screen}`,
    from: [`src/screens/${screen}.tsx`],
    beyond: ENTRY,
    // Modals and selects of a form are about 25 of them.
    js: 48,
  })),
];
const TEXT_FILE = 5;

const { output } = await build({ logLevel: 'error', build: { write: false } });
const files = new Map(output.map((file) => [file.fileName, file]));
const weigh = (name) => {
  const file = files.get(name);
  return gzipSync(file.type === 'chunk' ? file.code : file.source).byteLength / KIB;
};

/** The chunk that contains a module. */
function chunkOf(module) {
  const chunk = output.find((file) => file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(`/${module}`)));
  if (!chunk) throw new Error(`${module} is in no chunk: if it was renamed, update tools/budgets.mjs`);
  return chunk;
}

/** The files a browser loads for these modules: their chunks, the static imports of those, and the styles of both. */
function loaded(modules) {
  const js = new Set();
  const css = new Set();
  const add = (name) => {
    if (js.has(name)) return;
    js.add(name);
    const chunk = files.get(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) css.add(style);
    for (const other of chunk.imports) add(other);
  };
  for (const module of modules) add(chunkOf(module).fileName);
  return { js, css };
}

const sum = (names) => [...names].reduce((total, name) => total + weigh(name), 0);
let over = 0;

function report(name, weight, most) {
  const bad = weight > most;
  if (bad) over += 1;
  console.log(`${bad ? 'OVER' : 'ok  '} ${name.padEnd(28)} ${weight.toFixed(1).padStart(7)} of ${most} KiB`);
}

for (const { name, from, beyond, js, css } of BUDGETS) {
  const page = loaded(from);
  const before = beyond ? loaded(beyond).js : new Set();
  report(`${name}, scripts`, sum([...page.js].filter((file) => !before.has(file))), js);
  if (css) report(`${name}, styles`, sum(page.css), css);
}
for (const file of output) {
  const id = file.type === 'chunk' ? (file.facadeModuleId ?? '') : '';
  const texts = /libs\/texts\/(.+)\.json$/.exec(id);
  if (texts) report(`texts ${texts[1]}`, weigh(file.fileName), TEXT_FILE);
}
process.exit(over > 0 ? 1 : 0);
