// Compares the capture pool with puppeteer-cluster on the same pages of the simulated engine, in one run.
//
//   node capture/bench/compare.mjs POOL SIMULATOR [--chromium PATH]… [--pages N] [--rounds N] [--tabs N]
//
// POOL is a release build of the example bench_capture, SIMULATOR one of serp-sim. Both sides load a page, take its HTML (and in
// half of the runs a WebP of the whole page). The pool clears all state between pages. The peer runs with a new context for each
// page, with new pages in one context that it is made to clear, and with such pages as it has them: sharing cookies, storage and
// cache. Rounds are interleaved. Processor time is user and system time of the whole process tree, browsers and ended processes
// included, the simulator not. A side that fails is said to fail, with its reason, and the others go on.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { cpus, homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// Pages are closed after their answers; their processes have ended by then.
const LAST_PROCESSES_MS = 500;
// Of the fields of /proc/PID/stat after the name: utime, stime, cutime, cstime.
const OWN_TICKS = 11;
const OWN_AND_CHILDREN_TICKS = 15;
const LONGEST_COMPLAINT = 120;
const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const here = dirname(fileURLToPath(import.meta.url));

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        chromium: { type: 'string', multiple: true, default: ['/usr/bin/chromium'] },
        pages: { type: 'string', default: '40' },
        rounds: { type: 'string', default: '5' },
        tabs: { type: 'string', default: String(cpus().length) },
    },
});
const [pool, simulator] = positionals;
if (!simulator) {
    console.error('usage: node compare.mjs POOL SIMULATOR [--chromium PATH]… [--pages N] [--rounds N] [--tabs N]');
    process.exit(2);
}

/** Installs the peer beside the other caches, once for each lock file. */
function installPeer() {
    const root = process.getuid() === 0 ? '/var/cache' : (process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'));
    const folder = join(root, 'vigie', 'capture-bench');
    const isCurrent = existsSync(join(folder, 'node_modules'))
        && readFileSync(join(folder, 'package-lock.json'), 'utf8') === readFileSync(join(here, 'package-lock.json'), 'utf8');
    if (!isCurrent) {
        mkdirSync(folder, { recursive: true });
        for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(here, file), join(folder, file));
        // The cluster names the whole of puppeteer as its peer, which would bring a browser of its own.
        execFileSync('npm', ['ci', '--legacy-peer-deps', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
    }
    return folder;
}

/** Processor time of a process and all below it so far, in seconds: their own, and that of those they have outlived, which the kernel counts for them. */
function processorTime(root) {
    const children = new Map();
    const ticks = new Map();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        let stat;
        try {
            stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        } catch {
            continue;
        }
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        children.set(fields[1], [...(children.get(fields[1]) ?? []), pid]);
        ticks.set(pid, fields.slice(OWN_TICKS, OWN_AND_CHILDREN_TICKS).reduce((sum, part) => sum + Number(part), 0));
    }
    let sum = 0;
    const waiting = [String(root)];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
        sum += ticks.get(pid) ?? 0;
        waiting.push(...(children.get(pid) ?? []));
    }
    return sum / TICKS_A_SECOND;
}

/** A side that is warm and waits for a line to begin. */
async function contestant(command, args) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (text) => {
        complaint ||= String(text).split('\n').find((line) => line.includes('rror')) ?? '';
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const first = await lines.next();
    if (first.value !== 'ready') throw new Error(`failed: ${complaint.trim().slice(0, LONGEST_COMPLAINT)}`);
    return { child, lines, ended };
}

async function round(command, args) {
    const { child, lines, ended } = await contestant(command, args);
    await setTimeout(LAST_PROCESSES_MS);
    const before = processorTime(child.pid);
    child.stdin.write('go\n');
    const answer = await lines.next();
    await setTimeout(LAST_PROCESSES_MS);
    const processor = processorTime(child.pid) - before;
    child.stdin.end();
    await ended;
    const [word, seconds, bytes] = (answer.value ?? '').split(' ');
    if (word !== 'done') throw new Error(`${command} failed`);
    const pages = Number(options.pages);
    return { aMinute: (pages / Number(seconds)) * 60, processor: processor / pages, bytes: Number(bytes) / pages };
}

function median(values) {
    const sorted = values.toSorted((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}

const spread = (values, digits) =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;

const modules = installPeer();
const engine = spawn(simulator, ['--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
const address = (await createInterface({ input: engine.stdout })[Symbol.asyncIterator]().next()).value;
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const { pages, tabs } = options;
const sides = {
    'this pool': (chromium, picture) => [pool, [chromium, folder, address, pages, tabs, picture]],
    'cluster, context': (chromium, picture) =>
        [process.execPath, [join(here, 'peer.mjs'), modules, chromium, address, pages, tabs, picture, 'context']],
    'cluster, page, cleared': (chromium, picture) =>
        [process.execPath, [join(here, 'peer.mjs'), modules, chromium, address, pages, tabs, picture, 'page-cleared']],
    'cluster, page, shared state': (chromium, picture) =>
        [process.execPath, [join(here, 'peer.mjs'), modules, chromium, address, pages, tabs, picture, 'page']],
};

try {
    console.log(`${cpus().length} x ${cpus()[0].model}, ${pages} pages a round, ${options.rounds} rounds, ${tabs} at once`);
    console.log('| browser | work | side | pages a minute | processor s a page | pages a processor s | this pool is |');
    console.log('| --- | --- | --- | --- | --- | --- | --- |');
    for (const chromium of options.chromium) {
        for (const picture of ['html', 'screenshot']) {
            const results = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
            const failures = {};
            for (let number = 0; number < Number(options.rounds); number += 1) {
                for (const [side, command] of Object.entries(sides)) {
                    if (failures[side]) continue;
                    try {
                        results[side].push(await round(...command(chromium, picture)));
                    } catch (failure) {
                        failures[side] = failure.message;
                    }
                }
            }
            const own = median(results['this pool'].map((result) => result.processor));
            for (const [side, result] of Object.entries(results)) {
                if (failures[side]) {
                    console.log(`| ${chromium.split('/').at(-1)} | ${picture} | ${side} | ${failures[side]} | | | |`);
                    continue;
                }
                const processor = result.map((one) => one.processor);
                const cells = [
                    chromium.split('/').at(-1), picture, side, spread(result.map((one) => one.aMinute), 0),
                    spread(processor, 3), (1 / median(processor)).toFixed(2), `x ${(median(processor) / own).toFixed(2)}`,
                ];
                console.log(`| ${cells.join(' | ')} |`);
            }
        }
    }
} finally {
    engine.kill();
    rmSync(folder, { recursive: true, force: true });
}
