// Guarantees of the small pure parts: outbox, deltas, log lines, addresses, process lists, settings.

import type { TaskFrame } from '@millrace/contract/engine-frames'
import { parseKernel, sizeToBytes } from '@millrace/contract/inf-yml'
import { mergeDelta } from '@millrace/contract/merge-deltas'
import { newSealingKeys, open, seal } from '@millrace/contract/sealed-box'
import { canonicalJson, setupKey, warmKey } from '@millrace/contract/warm-key'
import { describe, expect, test } from 'vitest'
import { splitLines } from './app-process/log-lines.ts'
import { createMarkerBoard } from './app-process/markers.ts'
import { readRunLines } from './app-process/run-lines.ts'
import { readConfig } from './config.ts'
import { unknownSettings } from './engine-yml.ts'
import { backoffMs } from './link/backoff.ts'
import { createOutbox } from './link/outbox.ts'
import { crossedLimit } from './machine/limit-watch.ts'
import { familyUsage, pageBytesIn, parseStat, readProcessTable } from './machine/process-table.ts'
import { memoryOf, modelFolder, summariseCpus } from './machine/system-info.ts'
import { addressPolicy } from './outbound/address-policy.ts'
import { throughApi } from './outbound/server-address.ts'
import { hostEnvironment, readSettings } from './settings.ts'

test('[E7] delays double up to half a minute, half of each is random', () => {
  expect([0, 1, 2].map((n) => backoffMs(n, 1))).toEqual([200, 400, 800])
  expect(backoffMs(0, 0)).toBe(100)
  expect(backoffMs(50, 1)).toBe(30_000)
  expect(backoffMs(50, 0)).toBe(15_000)
  expect(backoffMs(50, 1, 500)).toBe(500)
})

describe('the outbox', () => {
  const frame = (type: 'task_preparing' | 'task_running', id = 't'): TaskFrame => ({
    type,
    data: { task_id: id, attempt: 1 },
  })
  const log = (logs: string): TaskFrame => ({ type: 'task_log', data: { task_id: 't', attempt: 1, log_type: 1, logs } })
  const progress = (output: string, isDelta = false): TaskFrame => ({
    type: 'task_progress',
    data: { task_id: 't', attempt: 1, output, ...(isDelta && { is_delta: true, seq: 1 }) },
  })

  test('[E16] keeps the latest status and output of each task, and all logs, in order', () => {
    const outbox = createOutbox()
    const other = frame('task_preparing', 'other')
    for (const one of [
      frame('task_preparing'),
      other,
      log('1'),
      progress('a'),
      log('2'),
      frame('task_running'),
      progress('x', true),
      progress('b'),
    ]) {
      outbox.retain(one)
    }
    expect(outbox.takeHeld()).toEqual([other, log('1'), log('2'), frame('task_running'), progress('b')])
    expect(outbox.takeHeld()).toEqual([])
  })

  test('[E12] an acknowledgement of another attempt is ignored', () => {
    const outbox = createOutbox()
    const done: TaskFrame = { type: 'task_completed', data: { task_id: 't', attempt: 2, output: '' } }
    outbox.expectAck(done, 0)
    outbox.acknowledge('t', 1)
    expect(outbox.terminalOf('t')).toEqual(done)
    outbox.acknowledge('t', 2)
    expect(outbox.unacknowledged()).toEqual([])
  })
})

test('[E22] deltas merge as clients merge them', () => {
  const sum = [
    { response: 'a', reasoning: 'x' },
    { response: 'b', usage: { total_tokens: 1 } },
    { tool_calls: [{ index: 1, id: 'two', function: { name: 'g' } }] },
    {
      tool_calls: [
        { index: 0, id: 'one', function: { name: 'f', arguments: '1' } },
        { index: 0, function: { arguments: '2' } },
      ],
      usage: { total_tokens: 2 },
    },
    'not an object',
  ].reduce<Record<string, unknown>>(mergeDelta, {})
  expect(sum).toEqual({
    response: 'ab',
    reasoning: 'x',
    usage: { total_tokens: 2 },
    tool_calls: [
      { id: 'one', function: { name: 'f', arguments: '12' } },
      { id: 'two', function: { name: 'g' } },
    ],
  })
})

test('[E22] any number of deltas with different keys merge without copying', () => {
  const count = 100_000
  let sum: Record<string, unknown> = {}
  for (let index = 0; index < count; index += 1) sum = mergeDelta(sum, { [`k${index}`]: index })
  expect(Object.keys(sum)).toHaveLength(count)
})

test('ends of unknown calls are not stored, however many an app sends', async () => {
  const markers = createMarkerBoard()
  const end = (name: string) => {
    for (const _stream of ['stdout', 'stderr']) markers.post({ end: name })
  }
  const isKnown = async (name: string) => {
    let known = false
    void markers.ended(name).then(() => {
      known = true
    })
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    return known
  }
  end('never called')
  expect(await isKnown('never called')).toBe(false)
  markers.begin('called')
  end('called')
  expect(await isKnown('called')).toBe(true)
})

test('log lines: complete lines, separate markers, endless lines in pieces', () => {
  const lines: string[] = []
  const markers: unknown[] = []
  const feed = splitLines('tok', { line: (text) => lines.push(text), marker: (content) => markers.push(content) })
  feed(Buffer.from('one\ntw'))
  feed(Buffer.from('o\nno end\x1etok {"end":"t"}\n\x1eother {"end":"u"}\n\x1etok not json\n'))
  expect(lines).toEqual(['one', 'two', 'no end', '\x1eother {"end":"u"}'])
  expect(markers).toEqual([{ end: 't' }])
  const euro = Buffer.from('€\n')
  feed(euro.subarray(0, 1))
  feed(euro.subarray(1))
  expect(lines.at(-1)).toBe('€')
  feed(Buffer.alloc(40_000, 'x'))
  expect(lines.slice(-2).map((line) => line.length)).toEqual([16_384, 16_384])
})

test('[E26] run lines: split anywhere, checked, limited', async () => {
  const read = async (chunks: string[], limit = 1000) => {
    async function* body() {
      for (const chunk of chunks) yield Buffer.from(chunk)
    }
    const lines = []
    for await (const line of readRunLines(body(), limit)) lines.push(line)
    return lines
  }
  expect(await read(['{"type":"out', 'put","data":1}\n{"type":"result"', ',"data":2}\n'])).toEqual([
    { type: 'output', data: 1 },
    { type: 'result', data: 2 },
  ])
  await expect(read(['{"type":"surprise"}\n'])).rejects.toThrow(/does not understand/)
  await expect(read(['nonsense\n'])).rejects.toThrow(/not valid JSON/)
  await expect(read(['x'.repeat(600), 'x'.repeat(600)])).rejects.toThrow(/larger than 1000 bytes/)
})

describe('addresses', () => {
  const cases: { address: string; allowed: string[]; verdict: boolean }[] = [
    { address: '93.184.216.34', allowed: [], verdict: true },
    { address: '127.0.0.1', allowed: [], verdict: false },
    { address: '10.1.2.3', allowed: [], verdict: false },
    { address: '172.20.0.1', allowed: [], verdict: false },
    { address: '192.168.1.1', allowed: [], verdict: false },
    { address: '169.254.169.254', allowed: [], verdict: false },
    { address: '0.0.0.0', allowed: [], verdict: false },
    { address: '::1', allowed: [], verdict: false },
    { address: '::ffff:127.0.0.1', allowed: [], verdict: false },
    { address: 'fd00::1', allowed: [], verdict: false },
    { address: 'fe80::1', allowed: [], verdict: false },
    { address: '2606:4700::1111', allowed: [], verdict: true },
    { address: '10.1.2.3', allowed: ['10.0.0.0/8'], verdict: true },
    { address: '10.1.2.3', allowed: ['10.1.2.4'], verdict: false },
    { address: '10.1.2.3', allowed: ['*'], verdict: true },
    { address: '10.1.2.3', allowed: ['host.internal'], verdict: true },
  ]
  test.each(cases)('[E37] $address with $allowed: $verdict', ({ address, allowed, verdict }) => {
    expect(addressPolicy(allowed).allows('host.internal', address, 80)).toBe(verdict)
  })
})

test("[E37] Millrace's own ports stay closed on private addresses with any setting", () => {
  const policy = addressPolicy(['*'], [8080])
  expect([8080, 8081].map((port) => policy.allows('localhost', '127.0.0.1', port))).toEqual([false, true])
  expect(policy.allows('example.com', '93.184.216.34', 8080)).toBe(true)
})

test.each([
  ['https://mill.example/base/media/a/b.zip', 'http://10.0.0.5:3000/media/a/b.zip'],
  ['wss://mill.example/base/ws/sockets/x', 'ws://10.0.0.5:3000/ws/sockets/x'],
  ['http://10.0.0.5:3000/uploads/1?sig=2', 'http://10.0.0.5:3000/uploads/1?sig=2'],
  ['https://mill.example/other', undefined],
  ['https://mill.example.evil.test/base/media/a', undefined],
  ['http://10.0.0.5:30001/media/a', undefined],
])('[E37] %s is reached at %s', (address, expected) => {
  const server = { apiUrl: 'http://10.0.0.5:3000', baseUrl: 'https://mill.example/base' }
  expect(throughApi(address, server)).toBe(expected)
})

test('[E3] a sealed box opens only with its key and its context', () => {
  const [mine, other] = [newSealingKeys(), newSealingKeys()]
  const box = seal('{"A":"é"}', mine.publicKey, 'task:1')
  expect(open(box, mine, 'task:1')).toBe('{"A":"é"}')
  expect(seal('{"A":"é"}', mine.publicKey, 'task:1')).not.toBe(box)
  expect(() => open(box, mine, 'task:2')).toThrow()
  expect(() => open(box, other, 'task:1')).toThrow()
  expect(() => open(Buffer.from(box, 'base64').fill(0, 40, 41).toString('base64'), mine, 'task:1')).toThrow()
  expect(() => open('AAAA', mine, 'task:1')).toThrow(/not a sealed box/)
})

test('[E6] warm keys ignore the order of setup keys and an empty setup', () => {
  const plain = { teamId: undefined, appId: 'a', versionId: 'v' }
  expect(warmKey({ ...plain, setup: undefined })).toBe('a:v@')
  expect(warmKey({ ...plain, setup: {} })).toBe('a:v@')
  expect(setupKey({ b: [1, { d: 1, c: 2 }], a: undefined }, 't')).toBe(setupKey({ b: [1, { c: 2, d: 1 }] }, 't'))
  expect(setupKey({ a: 1 }, 't')).not.toBe(setupKey({ a: 2 }, 't'))
  expect(setupKey({ a: 1 }, 't')).not.toBe(setupKey({ a: 1 }, 'u'))
  expect(setupKey({}, 't')).not.toBe(setupKey({}, 'u'))
  expect(warmKey({ ...plain, teamId: 'team', setup: {} })).toMatch(/^a:v@[0-9a-f]{16}$/)
  expect(canonicalJson({ b: 1, a: 'x' })).toBe('{"a":"x","b":1}')
})

test('sizes and kernels of inf.yml', () => {
  const sizes: [number | string, number | undefined][] = [
    [24, 24e9],
    [0.5, 5e8],
    [1500, 1.5e9],
    [2e9, 2e9],
    ['24GB', 24e9],
    ['512 MiB', 512 * 1024 ** 2],
    ['8', 8e9],
    ['much', undefined],
    ['3 parsecs', undefined],
  ]
  for (const [given, bytes] of sizes) expect(sizeToBytes(given)).toBe(bytes)
  expect(parseKernel('')).toEqual({ language: 'python', version: '3.11' })
  expect(parseKernel('3.12')).toEqual({ language: 'python', version: '3.12' })
  expect(parseKernel('node-22')).toEqual({ language: 'node', version: '22' })
  expect(parseKernel('ruby-3')).toBeUndefined()
})

test('[E25] a process list is parsed, summed and checked', () => {
  const line = (pid: number, name: string, session: number, pages: number, parent = 1) =>
    `${pid} (${name}) S ${parent} ${pid} ${session} 0 -1 ${Array.from({ length: 11 }, () => 0).join(' ')} 3 0 0 0 ${pages} 18446744073709551615`
  const read = (text: string) => parseStat(text, 4096)
  expect(read(line(7, 'a) b (c', 5, 10))).toEqual({
    pid: 7,
    parentId: 1,
    sessionId: 5,
    startedAt: 0,
    threads: 3,
    rssBytes: 40_960,
    cpuMs: 0,
  })
  expect(read(line(7, 'x', 5, 10).replace(' 0 0 0 0 0 0 3 ', ' 1 2 3 4 0 0 3 '))).toMatchObject({ cpuMs: 100 })
  expect(read('nonsense')).toBeUndefined()
  const table = [line(7, 'x', 5, 10), line(8, 'y', 5, 20), line(9, 'z', 6, 99)].flatMap((text) => read(text) ?? [])
  expect(familyUsage(table, 5)).toEqual({ processes: 2, rssBytes: 122_880, cpuMs: 0 })
  // A descendant in another session still counts, in any order of the list.
  const hidden = [line(12, 'h', 11, 1, 11), line(11, 'g', 11, 1, 8)].flatMap((text) => read(text) ?? [])
  expect(familyUsage([...hidden, ...table], 5)).toEqual({ processes: 4, rssBytes: 131_072, cpuMs: 0 })
  expect(crossedLimit({ processes: 2, rssBytes: 2e6 }, { processes: 2, memoryBytes: 2e6 })).toBeUndefined()
  expect(crossedLimit({ processes: 3, rssBytes: 1 }, { processes: 2, memoryBytes: 2e6 })).toBe(
    'limit of 2 processes exceeded',
  )
  expect(crossedLimit({ processes: 1, rssBytes: 3e6 }, { processes: 2, memoryBytes: 2e6 })).toBe(
    'memory limit of 2 MB exceeded',
  )
})

test.skipIf(process.platform !== 'linux')('[E25] memory is counted in pages of the machine’s size', () => {
  const auxv = (...pairs: number[]) => Buffer.from(BigUint64Array.from(pairs, BigInt).buffer)
  expect(pageBytesIn(auxv(16, 255, 6, 65_536, 0, 0))).toBe(65_536)
  expect(pageBytesIn(auxv(16, 6, 17, 100, 0, 0))).toBe(4096)
  const own = readProcessTable().find(({ pid }) => pid === process.pid)
  const share = (own?.rssBytes ?? 0) / process.memoryUsage().rss
  expect(share).toBeGreaterThan(0.5)
  expect(share).toBeLessThan(2)
})

test('processors are summarized', () => {
  expect(
    summariseCpus([
      { model: 'AMD X', speed: 1 },
      { model: 'AMD X', speed: 1 },
    ]),
  ).toMatchObject([{ vendor_id: 'AMD', cores: 2 }])
  expect(memoryOf(8, 2)).toEqual({ total: 8, available: 2, used: 6, free: 2, usage: 0.75 })
})

test('[E45] a model repository id names one folder', () => {
  expect(modelFolder('/r', 'org/name')).toBe('/r/huggingface/hub/models--org--name')
  for (const bad of ['../x', 'org/..', 'a/b/c', '', '/etc', 'a/../b']) expect(modelFolder('/r', bad)).toBeUndefined()
})

describe('settings', () => {
  const context = { hostname: 'h', home: '/home', hostEnv: {}, engineVersion: 'v1' }
  test('flags win over the environment, and the environment over the file', async () => {
    const env = {
      MILLRACE_API_URL: 'http://env',
      MILLRACE_API_KEY: 'k',
      MILLRACE_ENGINE_CPU_WORKERS: '3',
      ALLOW_PRIVATE_HOSTS: '10.0.0.0/8, box',
    }
    const config = readConfig(await readSettings(['--api-url', 'http://flag/'], env), context)
    expect(config).toMatchObject({
      apiUrl: 'http://flag',
      apiKey: 'k',
      name: 'h',
      workers: { cpu: { count: 3 } },
      runtime: 'auto',
      allowPrivateHosts: ['10.0.0.0/8', 'box'],
    })
    expect(Object.isFrozen(config)).toBe(true)
  })
  test('container_mode of engine.yml selects the container runtime', () => {
    expect(readConfig({ api_url: 'http://x', api_key: 'k', container_mode: true }, context).runtime).toBe('container')
  })
  test.each([
    ['memory_limit_mb', '4000', undefined],
    ['memory_limit_mb', 'lots', 'memory_limit_mb: expected a positive number, found lots'],
    ['process_limit', -1, 'process_limit: expected a positive number, found -1'],
    ['allow_private_hosts', ['10.0.0.0/8'], undefined],
    ['allow_private_hosts', { a: 1 }, 'allow_private_hosts: expected a list of hosts and networks, found {"a":1}'],
    ['team_id', 7, 'team_id: expected a text, found 7'],
    ['team_id', null, undefined],
    ['container_mode', 'yes', 'container_mode: expected true or false, found yes'],
  ])('%s: %j is checked', (field, value, problem) => {
    const read = () => readConfig({ api_url: 'http://x', api_key: 'k', [field]: value }, context)
    if (problem === undefined) expect(read()).toMatchObject({ apiKey: 'k' })
    else expect(read).toThrow(`engine settings: ${problem}`)
  })
  test('unknown fields are named with a suggestion', () => {
    expect(unknownSettings({ runtme: 'auto', workers: { cpus: { count: 2 } }, colour: 1, api_url: 'x' })).toEqual([
      'unknown field runtme. Did you mean runtime?',
      'unknown field workers.cpus. Did you mean cpu?',
      'unknown field colour.',
    ])
  })
  test('[E33] only harmless parts of the environment are passed on', () => {
    const env = {
      PATH: '/bin',
      https_proxy: 'p',
      npm_config_registry: 'r',
      MILLRACE_API_KEY: 'k',
      S3_SECRET_KEY: 's',
      DATABASE_URL: 'd',
    }
    expect(hostEnvironment(env)).toEqual({ PATH: '/bin', https_proxy: 'p', npm_config_registry: 'r' })
  })
})
