// The conformance suite as asked by npm's @clickhouse/client. Needs CONFORMANCE_URL and CONFORMANCE_SECRET.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import test, { after, before } from 'node:test'
import { Readable } from 'node:stream'
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'

const url = process.env.CONFORMANCE_URL
const password = process.env.CONFORMANCE_SECRET
// The client logs every error that it gives.
const connect = (options) => createClient({ url, password, log: { level: ClickHouseLogLevel.OFF }, ...options })
const plain = connect({})
const compressing = connect({ compression: { request: true, response: true } })

before(async () => {
  await plain.command({
    query: 'CREATE TABLE IF NOT EXISTS node_ads (id UInt64, title String, price Nullable(Float64)) ENGINE = MergeTree ORDER BY id',
  })
})
after(async () => {
  await plain.command({ query: 'DROP TABLE node_ads' })
  await Promise.all([plain.close(), compressing.close()])
})

const rows = async (client, query, options = {}) =>
  (await client.query({ query, format: 'JSONEachRow', ...options })).json()

test('answers a ping', async () => {
  assert.equal((await plain.ping()).success, true)
  assert.equal((await plain.ping({ select: true })).success, true)
})

for (const [name, client] of [['plain', plain], ['compressed', compressing]]) {
  test(`stores and reads rows of JSON, ${name}`, async () => {
    await client.command({ query: 'TRUNCATE TABLE node_ads' })
    const values = Array.from({ length: 5000 }, (_, id) => ({ id: `${id}`, title: `shoe\t'${id}'\n`, price: id % 2 ? 9.5 : null }))
    const stored = await client.insert({ table: 'node_ads', values, format: 'JSONEachRow' })
    assert.equal(stored.executed, true)
    assert.equal(stored.summary.written_rows, '5000')
    const options = { clickhouse_settings: { output_format_json_quote_64bit_integers: 1 } }
    assert.deepEqual(await rows(client, 'SELECT * FROM node_ads ORDER BY id', options), values)
  })

  test(`streams a million rows, ${name}`, async () => {
    const result = await client.query({ query: 'SELECT number AS n FROM numbers(1000000)', format: 'JSONCompactEachRow' })
    let count = 0
    let sum = 0
    for await (const piece of result.stream()) {
      for (const row of piece) {
        count += 1
        sum += Number(row.json()[0])
      }
    }
    assert.deepEqual([count, sum], [1_000_000, 499_999_500_000])
  })

  test(`stores a stream of CSV, ${name}`, async () => {
    await client.command({ query: 'TRUNCATE TABLE node_ads' })
    const lines = Readable.from(Array.from({ length: 1000 }, (_, id) => `${id},title,\n`), { objectMode: false })
    await client.insert({ table: 'node_ads', values: lines, format: 'CSV' })
    assert.equal((await rows(client, 'SELECT toUInt32(count()) AS c FROM node_ads'))[0].c, 1000)
  })
}

test('passes native blocks on as they are', async () => {
  await plain.command({ query: 'TRUNCATE TABLE node_ads' })
  const native = await plain.exec({ query: "SELECT number AS id, 'x' AS title, NULL::Nullable(Float64) AS price FROM numbers(70000) FORMAT Native" })
  const stored = await plain.exec({ query: 'INSERT INTO node_ads FORMAT Native', values: native.stream })
  stored.stream.resume()
  const [counts] = await rows(plain, 'SELECT toUInt32(count()) AS c, toUInt64(sum(id)) AS s FROM node_ads')
  assert.deepEqual([counts.c, Number(counts.s)], [70000, 2449965000])
})

test('gives a document of JSON', async () => {
  const result = await plain.query({ query: 'SELECT number AS n FROM numbers(3)', format: 'JSON' })
  const document = await result.json()
  assert.equal(document.rows, 3)
  assert.equal(document.meta[0].type, 'UInt64')
  assert.match(result.query_id, /^[0-9a-f-]{36}$/)
})

test('binds parameters and settings', async () => {
  const query = "SELECT {text:String} AS text, {list:Array(UInt8)} AS list, {at:DateTime64(3, 'UTC')} AS at, toUInt32(getSetting('max_threads')) AS threads"
  const query_params = { text: "it's\t\\ \n", list: [1, 2], at: new Date('2026-01-02T03:04:05.678Z') }
  const [row] = await rows(plain, query, { query_params, clickhouse_settings: { max_threads: 3 } })
  assert.deepEqual(row, { text: "it's\t\\ \n", list: [1, 2], at: '2026-01-02 03:04:05.678', threads: 3 })
})

const failure = async (query, options = {}) => {
  try {
    const result = await plain.query({ query, format: 'JSONEachRow', ...options })
    await result.text()
  } catch (error) {
    assert.ok(error instanceof ClickHouseError, String(error))
    return [error.code, error.type]
  }
  return assert.fail(`${query} did not fail`)
}

test('gives typed errors', async () => {
  assert.deepEqual(await failure('SELECT * FROM nowhere'), ['60', 'UNKNOWN_TABLE'])
  assert.deepEqual(await failure('SELEC 1'), ['62', 'SYNTAX_ERROR'])
  assert.deepEqual(await failure('SELECT 1', { clickhouse_settings: { no_such: 1 } }), ['115', 'UNKNOWN_SETTING'])
  const slow = 'SELECT sleepEachRow(0.05) FROM numbers(1000) SETTINGS max_block_size = 1'
  assert.deepEqual(await failure(slow, { clickhouse_settings: { max_execution_time: 1 } }), ['159', 'TIMEOUT_EXCEEDED'])
  const greedy = 'SELECT groupArray(number) FROM numbers(100000000)'
  const little = { clickhouse_settings: { max_memory_usage: '10000000' } }
  assert.deepEqual(await failure(greedy, little), ['241', 'MEMORY_LIMIT_EXCEEDED'])
})

test('fails a stream that fails in the middle', async () => {
  const query = 'SELECT number, throwIf(number = 900000) FROM numbers(1000000)'
  const result = await plain.query({ query, format: 'JSONCompactEachRow' })
  await assert.rejects(async () => {
    for await (const piece of result.stream()) assert.ok(piece.length > 0)
  })
})

test('cancels a query that is aborted', async () => {
  const controller = new AbortController()
  const query_id = 'node-aborted'
  const endless = plain.query({
    query: 'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)',
    abort_signal: controller.signal,
    query_id,
  })
  const running = async () =>
    (await rows(plain, `SELECT toUInt32(count()) AS c FROM system.processes WHERE Settings['log_comment'] = '${query_id}'`))[0].c
  const until = async (wanted) => {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await running()) === wanted) return
      await pause(20)
    }
    assert.fail(`not ${wanted} running`)
  }
  await until(1)
  controller.abort()
  await assert.rejects(endless)
  await until(0)
})

test('keeps a session', async () => {
  const session = connect({ session_id: 'node-session', max_open_connections: 1 })
  await session.command({ query: 'CREATE TEMPORARY TABLE picked (a UInt8)' })
  await session.insert({ table: 'picked', values: [{ a: 7 }], format: 'JSONEachRow' })
  assert.deepEqual(await rows(session, 'SELECT a FROM picked'), [{ a: 7 }])
  await session.close()
})

test('refuses a wrong password', async () => {
  const stranger = connect({ password: 'guess' })
  await assert.rejects(stranger.query({ query: 'SELECT 1' }), (error) => error.code === '516')
  await stranger.close()
})
