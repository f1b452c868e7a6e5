// Runs the entry points of compose/docker-compose.yml as plain processes, with the environment their services have, on the stores of a
// running stack: node entry_points.mjs COMPOSE_FILE VIGIE DATA_FOLDER_OF_THE_STACK
import { spawn } from 'node:child_process'
import { chownSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { parse } from 'yaml'

const PATIENCE_MS = 30_000
const [composeFile, vigie, stackData] = process.argv.slice(2)
const text = readFileSync(composeFile, 'utf8')
const { services } = parse(text, { merge: true })
const told = Object.fromEntries(
  readFileSync(join(stackData, 'running.env'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replace(/^'|'$/g, '')]),
)

const failures = []
const check = (what, holds) => {
  console.log(`${holds ? 'ok  ' : 'BAD '} ${what}`)
  if (!holds) failures.push(what)
}

for (const [, name, rest] of text.matchAll(/\$\{(\w*PASSWORD)([^}]*)\}/g)) {
  check(`${name} has no default`, rest.startsWith(':?') || (name === 'SMTP_PASSWORD' && rest === ':-'))
}
const secrets = Object.keys(services.browsers.environment).filter((name) => /POSTGRES|REDIS|CLICKHOUSE|SMTP|SECRETS|PASSWORD|KEY/.test(name))
check('the browsers are given no password or address of a store', secrets.length === 0)
check('the browsers cannot reach a store', !services.browsers.networks.includes('stores'))
const ours = ['api', 'workers', 'browsers']
check('API, workers and browsers have users of their own', new Set(ours.map((name) => services[name].user)).size === ours.length)
check('every service that stays has a health check', Object.entries(services).every(([name, one]) => one.healthcheck || name === 'migrate'))
check("Chromium's sandbox is on", !text.includes('VIGIE__CAPTURE__SANDBOX'))

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const root = process.getuid() === 0
const number = (flag, user) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
const folder = mkdtempSync(join(tmpdir(), 'vigie-compose.'))
const group = root ? number('-g', 'vigie') : undefined
const own = (path, user) => root && chownSync(path, number('-u', user), group)
own(folder, 'vigie')
chmodSync(folder, 0o750)
const browsers = mkdtempSync(join(root ? '/run' : tmpdir(), 'vigie-compose.'))
own(browsers, 'vigie-browser')
chmodSync(browsers, 0o2750)

// What a container finds under a name of its own stands elsewhere here.
const ports = { mail: await freePort(), page: await freePort(), api: await freePort(), apiOperations: await freePort(), workers: await freePort() }
const elsewhere = {
  ...Object.fromEntries(Object.entries(told).filter(([name]) => /POSTGRES|REDIS|CLICKHOUSE|SIMULATOR|SECRETS/.test(name))),
  VIGIE__CLICKHOUSE__USER: told.VIGIE__CLICKHOUSE__USER ?? 'default',
  VIGIE__SMTP__HOST: '127.0.0.1',
  VIGIE__SMTP__PORT: String(ports.mail),
  VIGIE__SMTP__SECURITY: 'none',
  VIGIE__EMBEDDED__MAIL_ADDRESS: '127.0.0.1',
  VIGIE__EMBEDDED__MAIL_PORT: String(ports.mail),
  VIGIE__EMBEDDED__MAIL_PAGE_PORT: String(ports.page),
  VIGIE__API__LISTEN: `127.0.0.1:${ports.api}`,
  VIGIE__API__PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
  VIGIE__API__OPERATIONS_LISTEN: `127.0.0.1:${ports.apiOperations}`,
  VIGIE__WORKERS__OPERATIONS_LISTEN: `127.0.0.1:${ports.workers}`,
  VIGIE__CAPTURE__HOST: join(browsers, 'socket'),
  VIGIE__CAPTURE__WORK_FOLDER: join(browsers, 'work'),
}

function start(name, user) {
  const service = services[name]
  const environment = { PATH: process.env.PATH }
  if (service.volumes?.some((one) => one.endsWith(':/var/lib/vigie'))) environment.VIGIE__DATA = folder
  for (const [variable, value] of Object.entries(service.environment)) {
    environment[variable] = elsewhere[variable] ?? String(value).replace(/\$\{\w+:-([^}]*)\}/, '$1')
  }
  // Here the engines are simulated.
  if (name === 'workers' && elsewhere.VIGIE__ENGINES__SIMULATOR) environment.VIGIE__ENGINES__SIMULATOR = elsewhere.VIGIE__ENGINES__SIMULATOR
  const identity = root ? { uid: number('-u', user), gid: group } : {}
  const child = spawn(vigie, service.command, { env: environment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...identity })
  const running = { name, child, said: '' }
  for (const output of [child.stdout, child.stderr]) output.on('data', (part) => (running.said += part))
  running.ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)))
  return running
}

async function ready(running, isReady) {
  let ended = false
  running.ended.then(() => (ended = true))
  const until = Date.now() + PATIENCE_MS
  while (!ended && Date.now() < until) {
    if (await isReady()) return check(`${running.name} serves`, true)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  check(`${running.name} serves: ${running.said.slice(-2000)}`, false)
}
const answers = (port) => async () => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

const started = []
try {
  const migrate = start('migrate', 'vigie')
  const migrated = await migrate.ended
  check(migrated === 0 ? 'migrate ends well' : `migrate ends well: ${migrate.said.slice(-2000)}`, migrated === 0)
  for (const [name, user, isReady] of [
    ['mails', 'vigie', answers(ports.page)],
    ['browsers', 'vigie-browser', async () => existsSync(join(browsers, 'socket'))],
    ['workers', 'vigie', answers(ports.workers)],
    ['api', 'vigie', answers(ports.apiOperations)],
  ]) {
    const running = start(name, user)
    started.push(running)
    await ready(running, isReady)
  }
} finally {
  for (const running of started.reverse()) {
    running.child.kill('SIGTERM')
    check(`${running.name} ends when it is told to`, (await running.ended) === 0)
  }
  rmSync(folder, { recursive: true, force: true })
  rmSync(browsers, { recursive: true, force: true })
}
process.exit(failures.length === 0 ? 0 : 1)
