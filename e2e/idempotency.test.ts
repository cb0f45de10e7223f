// Guarantees: a request with an idempotency key is executed once, and every repetition gets the first reply, byte by
// byte. Every key is used five times concurrently, callers retry until they are answered, and the server is killed
// meanwhile. `npm run prove -- idempotency --size large` uses 10,000 keys through five restarts; the ordinary test run
// fewer.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { signIn } from './support/operator.ts'
import { startServer } from './support/server.ts'

const keys = Number(process.env.IDEMPOTENCY_KEYS ?? 200)
const restarts = Number(process.env.IDEMPOTENCY_RESTARTS ?? 1)
const copies = 5
const callers = 40
const env = { ENGINE: 'false', RATE_LIMIT_RUN: '0' }

/** Copies of one request are close together, so that they overlap, in random order. */
const plan = (): number[] =>
  Array.from({ length: keys * copies }, (_, index) => {
    const key = Math.floor(index / copies)
    return { key, place: key + Math.random() * callers }
  })
    .sort((a, b) => a.place - b.place)
    .map(({ key }) => key)

it(`${keys} keys, each used ${copies} times, ${restarts} restarts: once each, and one answer`, {
  timeout: 1_800_000,
}, async () => {
  let server = await startServer({ env })
  const { dataDir } = server
  const owner = await signIn(dataDir, 'once@example.com', 'once')
  const call = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.session_token}`,
        'x-team-id': owner.team_id,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return {
      status: response.status,
      isReplayed: response.headers.has('idempotent-replayed'),
      text: await response.text(),
    }
  }
  const dataOf = ({ status, text }: { status: number; text: string }) => {
    if (status !== 200) throw new Error(text)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    return (JSON.parse(text) as { data: any }).data
  }

  try {
    const app = dataOf(
      await call('/apps', {
        name: 'counted',
        version: { repository: 'https://bundles.example.com/counted.zip', functions: { run: {} } },
      }),
    )
    /** Half of the requests return a secret, the others start work. */
    const ask = (key: number) => {
      const headers = { 'idempotency-key': `key ${key}` }
      return key % 2 === 0
        ? call('/apikeys', { name: `key ${key}` }, headers)
        : call('/run', { app: app.id, input: { n: key } }, headers)
    }

    const requests = plan()
    const answers = Array.from({ length: keys }, () => new Set<string>())
    let next = 0
    let acknowledged = 0
    let unanswered = 0
    let replayed = 0
    const askAll = async (): Promise<void> => {
      for (let key = requests[next++]; key !== undefined; key = requests[next++]) {
        for (;;) {
          // A broken connection is retried; a reply must be correct.
          const answer = await ask(key).catch(() => null)
          if (answer) {
            dataOf(answer)
            answers[key]?.add(answer.text)
            if (answer.isReplayed) replayed += 1
            break
          }
          unanswered += 1
          await sleep(100)
        }
        acknowledged += 1
      }
    }
    const asking = Promise.all(Array.from({ length: callers }, askAll))
    for (let restart = 1; restart <= restarts; restart += 1) {
      const from = Math.floor((requests.length * restart) / (restarts + 1))
      while (acknowledged < from) await Promise.race([sleep(5), asking])
      await server.kill()
      server = await startServer({ dataDir, env })
    }
    await asking

    const made = dataOf(await call('/apikeys/list', { limit: -1 })).items.length
    const tasks = dataOf(await call('/tasks/list', { limit: -1, fields: ['input'] })).items as {
      input: { n: number }
    }[]
    const different = answers.filter((texts) => texts.size !== 1).length
    console.log(
      `idempotency: ${keys} keys used ${requests.length} times, ${restarts} restarts, ${unanswered} requests unanswered, ` +
        `${replayed} answers replayed, ${made} keys and ${tasks.length} runs made, ${different} keys with other than one answer`,
    )
    expect(acknowledged).toBe(keys * copies)
    expect(different).toBe(0)
    expect({ made, runs: tasks.length }).toEqual({ made: Math.ceil(keys / 2), runs: Math.floor(keys / 2) })
    expect(new Set(tasks.map(({ input }) => input.n)).size).toBe(tasks.length)
    // Each execution has one new reply, unless that reply was lost.
    expect(replayed).toBeGreaterThanOrEqual(keys * (copies - 1))
    expect(replayed).toBeLessThanOrEqual(keys * (copies - 1) + unanswered)
    const other = await call('/apikeys', { name: 'another body' }, { 'idempotency-key': 'key 0' })
    expect({ status: other.status, text: other.text }).toMatchObject({
      status: 409,
      text: expect.stringContaining('idempotency_conflict'),
    })
  } finally {
    await server.remove()
  }
})
