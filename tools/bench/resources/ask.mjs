// Asks two servers the same questions in turns and compares the requests that each answers in a second of its own processor time.
//   node ask.mjs NAME=ADDRESS,PID[,TOKEN] NAME=ADDRESS,PID[,TOKEN]
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';

const TERMS = 100_000;
/** In turns, so that what else the machine does slows both; the median is compared. */
const ROUNDS = 5;
const ROUND_SECONDS = 4;
/** Enough to keep both busy all the time. */
const AT_ONCE = 8;
/** Linux counts the time of processes in these. */
const TICKS_A_SECOND = 100;
/** As many times the requests of the peer. */
const WANTED = 5;
const INCLUDE = ['brand', 'localization'];

const servers = process.argv.slice(2).map((text) => {
  const [name, rest] = text.split(/=(.*)/s);
  const [address, pid, token] = rest.split(',');
  return { name, address, pid, token, agent: new Agent({ keepAlive: true, maxSockets: AT_ONCE }) };
});

const encoded = (filter) => encodeURIComponent(JSON.stringify(filter));
// The same places in the same order for both.
const place = (n) => 1 + ((n * 7919) % TERMS);
const questions = {
  'list of 30 with include': (n) =>
    `/api/Terms?filter=${encoded({ where: { id: { gte: place(n) - 30 } }, order: 'id ASC', limit: 30, include: INCLUDE })}`,
  'one with include': (n) => `/api/Terms/${place(n)}?filter=${encoded({ include: INCLUDE })}`,
};

function ask({ address, token, agent }, path) {
  return new Promise((resolve, reject) => {
    get(address + path, { agent, headers: token ? { Authorization: token } : {} }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${text}`))));
    }).on('error', reject);
  });
}

/** Processor seconds of a process so far. */
function used(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function round(server, question, from) {
  const end = Date.now() + ROUND_SECONDS * 1_000;
  const before = used(server.pid);
  let asked = 0;
  const one = async () => {
    while (Date.now() < end) await ask(server, question(from + asked++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return asked / (used(server.pid) - before);
}

/** What both must agree on: ids and words, and the included rows. */
const seen = (text) =>
  JSON.stringify([JSON.parse(text)].flat().map(({ id, term, brand, localization }) => [id, term, brand?.label, localization?.city]));

const median = (list) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)];
let missed = false;
for (const [what, question] of Object.entries(questions)) {
  const answers = await Promise.all(servers.map((server) => ask(server, question(1))));
  if (seen(answers[0]) !== seen(answers[1])) throw new Error(`${what}: the answers differ: ${answers.join('\n')}`);
  for (const server of servers) await round(server, question, 0);
  const rates = servers.map(() => []);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const [at, server] of servers.entries()) rates[at].push(await round(server, question, turn * TERMS));
  }
  const [ours, theirs] = rates.map(median);
  for (const [at, { name }] of servers.entries()) {
    const list = rates[at].map((rate) => Math.round(rate));
    console.log(`${what}: ${name} ${Math.round(median(rates[at]))} requests a CPU second (${Math.min(...list)} to ${Math.max(...list)})`);
  }
  const ratio = ours / theirs;
  console.log(`${what}: ${ratio.toFixed(1)} times as many, ${ratio >= WANTED ? 'met' : 'missed'} (wanted ${WANTED})`);
  missed ||= ratio < WANTED;
}
process.exit(missed ? 1 : 0);
