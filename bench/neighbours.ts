// The effect of one workspace that floods the server on another: the p99 of a run, a read, a list and a sign-in mail,
// without and with a neighbor that sends runs, webhooks to a hanging receiver, tasks without an engine, searches, long
// lists and streams at once. Rounds alternate between the two, and the ratio is the result.
import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SMTPServer } from 'smtp-server'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { show } from './support/load.ts'

const warmUps = Number(process.env.NEIGHBOURS_WARM_UP ?? 100)
/** Enough samples that the 99th percentile is not just the second worst. */
const samples = Number(process.env.NEIGHBOURS_SAMPLES ?? 500)
/** The rate limit is 120 sign-in mails per hour and network. */
const mails = 50
const floodsFirstMs = 3_000
/** A longer wait ends the benchmark with an error that names the request. */
const answerLimitMs = 30_000
/** Each half ends after this time with the samples collected so far. */
const halfLimitMs = Number(process.env.NEIGHBOURS_LIMIT_S ?? 120) * 1000

const delivered = new Map<string, () => void>()
const post = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  // Without a name server, reverse lookups would take longer than everything measured here.
  disableReverseLookup: true,
  onData: (stream, session, done) => {
    stream.resume()
    stream.on('end', () => {
      for (const { address } of session.envelope.rcptTo) delivered.get(address)?.()
      done()
    })
  },
})
await new Promise<void>((done) => post.listen(0, '127.0.0.1', done))
const smtp = `smtp://127.0.0.1:${(post.server.address() as AddressInfo).port}`

const server = await startServer({ env: { SMTP_URL: smtp, ENGINE_CPU_WORKERS: '4', RATE_LIMIT_RUN: '100000' } })
const quietOwner = await signIn(server.dataDir, 'quiet@example.com', 'quiet')
const floodOwner = await signIn(server.dataDir, 'flood@example.com', 'flood')
const headersOf = ({ session_token, team_id }: typeof quietOwner) => ({
  authorization: `Bearer ${session_token}`,
  'x-team-id': team_id,
  'content-type': 'application/json',
})
const headers = headersOf(quietOwner)
const agent = new Agent({ keepAlive: true })

const ask = (method: string, path: string, body?: object, extra: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { agent, method, headers: { ...headers, ...extra } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })

let mailNumber = 0
const works = {
  run: async () => {
    const body = { app: 'millrace/echo', input: { hello: 'world' }, stream: true }
    const text = await ask('POST', '/run', body, { accept: 'application/x-ndjson' })
    if (!/"status":10\b/.test(text)) throw new Error(`A run did not complete: ${text.slice(-300)}`)
  },
  read: () => ask('GET', '/apps/millrace/echo'),
  list: () => ask('POST', '/tasks/list', { limit: 20 }),
  mail: async () => {
    mailNumber += 1
    const email = `person-${mailNumber}@example.com`
    const arrived = new Promise<void>((resolve) => delivered.set(email, resolve))
    await ask('POST', '/auth/magic-link/send', { email })
    await arrived
  },
}
type Work = keyof typeof works
const names = Object.keys(works) as Work[]

const at = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

const withinLimit = async (name: Work): Promise<void> => {
  const timer = new AbortController()
  const late = sleep(answerLimitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`A ${name} did not finish within ${answerLimitMs} ms`)
  })
  await Promise.race([works[name](), late]).finally(() => {
    late.catch(() => undefined)
    timer.abort()
  })
}

const measure = async (title: string): Promise<Record<Work, number[]>> => {
  const times: Record<Work, number[]> = { run: [], read: [], list: [], mail: [] }
  const began = performance.now()
  for (let n = 0; n < samples && performance.now() - began < halfLimitMs; n += 1) {
    for (const name of names) {
      if (name === 'mail' && (n % Math.ceil(samples / mails) !== 0 || times.mail.length >= mails)) continue
      const before = performance.now()
      await withinLimit(name)
      times[name].push(performance.now() - before)
      await sleep(5)
    }
    if ((n + 1) % 50 === 0) console.log(`${title}: ${n + 1} of ${samples} rounds after ${seconds(began)} s`)
  }
  return times
}

const seconds = (since: number): string => show((performance.now() - since) / 1000, 1)

const untilReady = async (): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    const ready = await works.read().then(
      () => true,
      () => false,
    )
    if (ready) return
    if (tries > 300) throw new Error('The included apps were not deployed')
    await sleep(200)
  }
}

const flood = fork(fileURLToPath(new URL('./support/flood.ts', import.meta.url)), [
  JSON.stringify({ url: server.url, headers: headersOf(floodOwner) }),
])
const nextMessage = (): Promise<unknown> => new Promise((resolve) => flood.once('message', resolve))

try {
  await nextMessage()
  await untilReady()
  console.log(`warming up: ${warmUps} of each`)
  for (let n = 0; n < warmUps; n += 1) for (const name of ['run', 'read', 'list'] as const) await withinLimit(name)
  const quiet = await measure('quiet')
  flood.send('begin')
  await sleep(floodsFirstMs)
  const flooded = await measure('with the flood')
  flood.send('end')
  const counts = (await nextMessage()) as Record<string, number>
  console.log(`the flood: ${JSON.stringify(counts)}`)
  for (const name of names) {
    const [alone, crowded] = [at(quiet[name], 0.99), at(flooded[name], 0.99)]
    console.log(
      `${name.padEnd(5)} p99 ${show(alone, 1)} ms quiet, ${show(crowded, 1)} ms with the flood: ${show(crowded / alone, 2)} × ` +
        `(p50 ${show(at(quiet[name], 0.5), 1)} and ${show(at(flooded[name], 0.5), 1)} ms, n = ${quiet[name].length})`,
    )
  }
} finally {
  flood.kill()
  agent.destroy()
  post.close(() => undefined)
  await server.remove()
}
