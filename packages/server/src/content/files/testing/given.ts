// Files for tests, created and uploaded through the API.
import type { File } from '@millrace/contract/files'
import type { Ctx } from '#platform/core/ctx.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Answer, As, World } from '../../../testing/world.ts'

export type Announcement = { filename?: string; content_type?: string; size?: number; path?: string }

export const announce = async (
  world: World,
  as: As,
  file: Announcement = {},
  more: { category?: string } = {},
): Promise<File> => {
  const answer = await world.call(as, 'POST /files', { body: { files: [{ uri: '', ...file }], ...more } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data[0]
}

/** Path and query of an absolute address of the server under test. */
export const local = (address: string): string => {
  const { pathname, search } = new URL(address)
  return `${pathname}${search}`
}

export const put = (
  world: World,
  uploadUrl: string,
  text: string,
  headers: Record<string, string> = { 'content-type': 'text/plain' },
): Promise<Answer> => world.call(null, `PUT ${local(uploadUrl)}`, { body: text, headers })

/** A file with uploaded bytes. */
export const stored = async (
  world: World,
  as: As,
  text = 'hello',
  file: Announcement = {},
  more: { category?: string } = {},
): Promise<File> => {
  const made = await announce(world, as, { filename: 'hello.txt', content_type: 'text/plain', ...file }, more)
  const answer = await put(world, made.upload_url, text)
  if (answer.status !== 200) throw new Error(answer.text)
  return made
}

export const fetchMedia = (world: World, uri: string, headers: Record<string, string> = {}, method = 'GET') =>
  world.call(null, `${method} ${local(uri)}`, { headers })

export const show = async (world: World, as: As, file: File, visibility: string): Promise<File> => {
  const answer = await world.call(as, `POST /files/${file.id}/visibility`, { body: { visibility } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

/** All blob keys of files in the store. */
export const blobKeys = async (world: World): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of world.open.platform.blobs.list('files/')) keys.push(key)
  return keys.sort()
}

/** The context of the workspace's owner for direct calls of services. */
export const ownerCtx = (world: World, teamId = world.team.id, userId = world.people.owner.userId): Ctx =>
  createCtx(world.open.platform, {
    kind: 'session',
    credentialId: 'test',
    userId,
    teamId,
    role: 'owner',
    isPerson: true,
    personalTeam: false,
    orgId: null,
    orgAdmin: false,
    grant: { kind: 'everything' },
    platform: 'not_staff',
    inPlatformTeam: false,
    expiresAtMs: null,
  })
