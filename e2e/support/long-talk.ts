// A command on a remote that prints numbered lines until stopped: anything lost while its socket moves between servers
// is a gap.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fleet } from './fleet.ts'
import { startRemote } from './remote.ts'

export type LongTalk = {
  /** Ends the command; returns the received lines. */
  end(): Promise<string[]>
  remove(): Promise<void>
}

type Chunk = { seq: number; data: string }

const callOf =
  ({ balancer, headers }: Fleet) =>
  async <T>(route: string, body?: object): Promise<T> => {
    const [method, path] = route.split(' ')
    const answer = await fetch(`${balancer.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`)
    return ((await answer.json()) as { data: T }).data
  }

export const startLongTalk = async (fleet: Fleet): Promise<LongTalk> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-e2e-talk-'))
  const call = callOf(fleet)
  const env = {
    MILLRACE_API_URL: fleet.balancer.url,
    MILLRACE_API_KEY: fleet.owner.session_token,
    MILLRACE_TEAM_ID: fleet.owner.team_id,
  }
  const remote = await startRemote({ cwd: folder, configDir: join(folder, 'config'), env }, ['--name', 'box', '--exec'])
  const { items } = await call<{ items: { id: string }[] }>('GET /remotes')
  const script = 'i=0; while [ ! -e enough ]; do echo "$i"; i=$((i+1)); sleep 0.1; done'
  const { id } = await call<{ id: string }>(`POST /remotes/${items[0]?.id}/execs`, {
    command: 'sh',
    args: ['-c', script],
    cwd: folder,
  })
  return {
    end: async () => {
      await writeFile(join(folder, 'enough'), '')
      const parts: Buffer[] = []
      for (let after = 0; ; ) {
        const run = await call<{ status: string; last_seq: number }>(`GET /execs/${id}`)
        const chunks = await call<Chunk[]>(`GET /execs/${id}/output?after_seq=${after}&wait_ms=1000`)
        parts.push(...chunks.map(({ data }) => Buffer.from(data, 'base64')))
        after = chunks.at(-1)?.seq ?? after
        if (run.status === 'exited' && run.last_seq <= after) return Buffer.concat(parts).toString().trim().split('\n')
      }
    },
    remove: async () => {
      await remote.end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
