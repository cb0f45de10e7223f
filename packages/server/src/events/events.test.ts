// Guards: the workspace stream carries the workspace's own news, named, in both encodings, and nothing of others.
import { expect } from 'vitest'
import { register } from '../engines/testing/engine-double.ts'
import { scenarios } from '../testing/scenarios.ts'
import type { Answer, As, World } from '../testing/world.ts'

/** Opens the stream, lets things happen, and reads until `wanted` shows up. */
const listen = async (
  world: World,
  as: As,
  accept: string,
  happen: () => Promise<unknown>,
  wanted: RegExp,
): Promise<Answer> => {
  const leave = new AbortController()
  const response = await fetch(`${await world.listen()}/events`, {
    headers: { authorization: `Bearer ${await world.token(as)}`, 'x-team-id': world.team.id, accept },
    signal: leave.signal,
  })
  await happen()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (wanted.test(text)) break
  }
  leave.abort()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    json: {},
    text,
    data: undefined,
    code: undefined,
  }
}

const engines = async (world: World) => {
  await register(world, { as: 'stranger', name: 'theirs' })
  await register(world, { name: 'ours' })
}

scenarios('events.stream', () => undefined, [
  {
    claim: 'named events',
    as: 'member',
    act: (world) => listen(world, 'member', 'text/event-stream', () => engines(world), /ours/),
    status: 200,
    check: ({ text, headers }) => {
      expect(headers['content-type']).toContain('text/event-stream')
      expect(text).toMatch(/^event: engines\ndata: \{"id"/)
      expect(text).not.toContain('theirs')
      expect(text).not.toContain('id: ')
    },
  },
  {
    claim: 'named lines',
    as: 'member',
    act: (world) => listen(world, 'member', 'application/x-ndjson', () => engines(world), /\n/),
    status: 200,
    check: ({ text }) =>
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ event: 'engines', data: { name: 'ours' } }),
  },
  { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
])
