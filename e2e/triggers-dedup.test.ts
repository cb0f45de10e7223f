// Guarantees: exactly one run per delivery. Every delivery is sent one to five times concurrently, senders retry until
// they are answered, and the server is killed repeatedly. `npm run prove -- dedup --size large` sends 20,000 deliveries
// through five restarts; the ordinary test run fewer.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { signIn } from './support/operator.ts'
import { startServer } from './support/server.ts'

const deliveries = Number(process.env.DEDUP_DELIVERIES ?? 400)
const restarts = Number(process.env.DEDUP_RESTARTS ?? 1)
const senders = 60
const env = { ENGINE: 'false', RATE_LIMIT_RUN: '0' }

type Send = { delivery: number; copy: number }

/** Copies of one delivery are close together, so that they overlap, in random order. */
const plan = (): Send[] =>
  Array.from({ length: deliveries }, (_, delivery) =>
    Array.from({ length: 1 + Math.floor(Math.random() * 5) }, (_, copy) => ({
      delivery,
      copy,
      place: delivery + Math.random() * senders,
    })),
  )
    .flat()
    .sort((a, b) => a.place - b.place)

it(`${deliveries} deliveries, each sent 1–5 times, ${restarts} restarts: one run each`, {
  timeout: 1_800_000,
}, async () => {
  let server = await startServer({ env })
  const { dataDir } = server
  const owner = await signIn(dataDir, 'dedup@example.com', 'dedup')
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${owner.session_token}`,
        'x-team-id': owner.team_id,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    return (JSON.parse(answer) as { data: any }).data
  }

  const sends = plan()
  let next = 0
  let acknowledged = 0
  let unanswered = 0
  const sendAll = async (path: string): Promise<void> => {
    for (let send = sends[next++]; send; send = sends[next++]) {
      for (;;) {
        const status = await deliver(path, send.delivery)
        if (status === 200) break
        // A reply must be correct; a broken connection is retried.
        if (status !== null) throw new Error(`a delivery was answered with ${status}`)
        unanswered += 1
        await sleep(100)
      }
      acknowledged += 1
    }
  }
  const deliver = (path: string, delivery: number): Promise<number | null> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': `msg_${delivery}` },
      body: JSON.stringify({ n: delivery }),
    }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => null,
    )

  try {
    const app = await call('POST', '/apps', {
      name: 'counted',
      version: { repository: 'https://bundles.example.com/counted.zip', functions: { run: {} } },
    })
    const trigger = await call('POST', '/triggers', {
      name: 'Counted',
      type: 'webhook',
      action: 'run_app',
      app_id: app.id,
    })
    const path = `/triggers/${trigger.id}/hook`
    const sending = Promise.all(Array.from({ length: senders }, () => sendAll(path)))
    for (let restart = 1; restart <= restarts; restart += 1) {
      const from = Math.floor((sends.length * restart) / (restarts + 1))
      while (acknowledged < from) await Promise.race([sleep(5), sending])
      await server.kill()
      server = await startServer({ dataDir, env })
    }
    await sending

    const dispatched = async (): Promise<number> => (await call('GET', `/triggers/${trigger.id}`)).fire_count
    while ((await dispatched()) < deliveries) await sleep(50)
    await sleep(1_500)
    const fires = await call('POST', '/trigger-fires/list', { limit: -1, fields: ['status', 'duplicates', 'task_id'] })
    const tasks = await call('POST', '/tasks/list', { limit: -1, fields: ['input'] })
    const runs = new Map<number, number>()
    for (const { input } of tasks.items as { input: { n: number } }[]) runs.set(input.n, (runs.get(input.n) ?? 0) + 1)
    const counted = fires.items.reduce((sum: number, fire: { duplicates: number }) => sum + 1 + fire.duplicates, 0)
    console.log(
      `dedup: ${deliveries} deliveries sent ${sends.length} times, ${restarts} restarts, ${unanswered} sends unanswered, ` +
        `${fires.items.length} fires, ${tasks.items.length} runs, ${counted} deliveries counted`,
    )
    expect(acknowledged).toBe(sends.length)
    expect(fires.items.every((fire: { status: string }) => fire.status === 'success')).toBe(true)
    expect(fires.items).toHaveLength(deliveries)
    expect(tasks.items).toHaveLength(deliveries)
    expect(runs.size).toBe(deliveries)
    // Every acknowledged delivery is counted; stored ones whose reply was lost are too.
    expect(counted).toBeGreaterThanOrEqual(acknowledged)
    expect(counted).toBeLessThanOrEqual(acknowledged + unanswered)
  } finally {
    await server.remove()
  }
})
