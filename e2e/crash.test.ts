// Guarantees: the server may crash at any moment without losing anything that it acknowledged. Kills the real program
// with SIGKILL during a stream of key creations, revocations and renames, and compares at the end. `npm run prove --
// crash --size large` kills it 50 times, or as often as CRASH_KILLS says; the ordinary test run fewer.
import { expect, it } from 'vitest'
import { signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const kills = Number(process.env.CRASH_KILLS ?? 3)
const writers = 6

type Acknowledged = {
  /** Keys by id, with the status in the last acknowledged reply. */
  keys: Map<string, 'live' | 'revoked' | 'unsure'>
  teamName: string
  /** A rename without a reply may have happened. */
  unsureName: string | null
}

type Api = (method: string, path: string, body?: unknown) => Promise<{ status: number; data: Record<string, unknown> }>

const apiOf =
  (server: () => ServerProcess, token: string, team: string): Api =>
  async (method, path, body) => {
    const response = await fetch(`${server().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'x-team-id': team, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data } = (await response.json()) as { data: Record<string, unknown> }
    return { status: response.status, data }
  }

/** Writes until stopped. The target of an unanswered request is unsure. */
const writeStream = async (
  api: Api,
  teamId: string,
  known: Acknowledged,
  number: number,
  { stopped, acknowledge }: { stopped: () => boolean; acknowledge: () => void },
): Promise<void> => {
  const own: string[] = []
  for (let step = 0; !stopped(); step += 1) {
    const target = own.at(-1)
    const revoke = step % 3 === 2 && target !== undefined
    try {
      if (number === 0 && step % 5 === 4) {
        const name = `Name ${step} ${Date.now()}`
        known.unsureName = name
        const renamed = await api('POST', `/teams/${teamId}`, { name })
        expect(renamed.status).toBe(200)
        known.teamName = name
        known.unsureName = null
      } else if (revoke) {
        known.keys.set(target, 'unsure')
        const revoked = await api('DELETE', `/apikeys/${target}`)
        expect(revoked.status).toBe(200)
        known.keys.set(target, 'revoked')
        own.pop()
      } else {
        const created = await api('POST', '/apikeys', { name: `writer ${number} step ${step}` })
        expect(created.status).toBe(200)
        const id = String(created.data.id)
        known.keys.set(id, 'live')
        own.push(id)
      }
      acknowledge()
    } catch (error) {
      // A broken connection is expected; a wrong reply is a real failure.
      if (error instanceof Error && error.name === 'AssertionError') throw error
      own.pop()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

it(`${kills} kills lose no acknowledged write`, { timeout: 60_000 + kills * 10_000 }, async () => {
  let server = await startServer({ env: { ENGINE: 'false', RATE_LIMIT_RUN: '0' } })
  const { dataDir } = server
  const owner = await signIn(dataDir, 'crash@example.com', 'crash')
  const api = apiOf(() => server, owner.session_token, owner.team_id)
  const known: Acknowledged = { keys: new Map(), teamName: 'crash', unsureName: null }
  const readyMs: number[] = []
  let acknowledged = 0
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      let stopped = false
      const flowing = Promise.withResolvers<void>()
      const enough = acknowledged + writers
      const acknowledge = () => {
        acknowledged += 1
        if (acknowledged >= enough) flowing.resolve()
      }
      const streams = Array.from({ length: writers }, (_, number) =>
        writeStream(api, owner.team_id, known, number, { stopped: () => stopped, acknowledge }),
      )
      // Killed under load: on a busy machine the first replies may take a while.
      await flowing.promise
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 500))
      await server.kill()
      stopped = true
      await Promise.all(streams)
      const before = performance.now()
      server = await startServer({ dataDir, env: { ENGINE: 'false', RATE_LIMIT_RUN: '0' } })
      readyMs.push(performance.now() - before)
    }
    const listed = await api('POST', '/apikeys/list', { limit: -1 })
    const live = new Set((listed.data.items as { id: string }[]).map((key) => key.id))
    const lost = [...known.keys].filter(([id, state]) => state === 'live' && !live.has(id))
    const undead = [...known.keys].filter(([id, state]) => state === 'revoked' && live.has(id))
    const team = await api('GET', `/teams/${owner.team_id}`)
    console.log(
      `crash: ${kills} kills, ${acknowledged} acknowledged writes, ${lost.length} lost, ${undead.length} revoked keys alive, slowest restart ${Math.round(Math.max(...readyMs))} ms`,
    )
    expect(acknowledged).toBeGreaterThan(kills)
    expect({ lost, undead }).toEqual({ lost: [], undead: [] })
    expect([known.teamName, known.unsureName]).toContain(team.data.name)
  } finally {
    await server.remove()
  }
})
