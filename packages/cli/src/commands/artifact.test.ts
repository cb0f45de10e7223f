// Guarantees: an artifact is found by its id or its ref.
import { expect, it } from 'vitest'
import { exitCodes } from '../exit-codes.ts'
import { runAgainst } from '../testing/answers.ts'
import { artifactCommands } from './artifact.ts'

const artifact = { id: 'art_1', namespace: 'mine', name: 'report', version_id: 'v7' }
const answers = {
  'GET /me': { team: { username: 'mine' } },
  'GET /artifacts/mine/report': artifact,
  'GET /artifacts/mine/report@3': { ...artifact, version_id: 'v3' },
  'GET /artifacts/art_1/content': { content: 'By id' },
  'GET /artifacts/art_1/versions/v7/content': { content: 'By ref' },
  'GET /artifacts/art_1/versions/v3/content': { content: 'The third' },
}

it.each([
  ['art_1', 'By id'],
  ['mine/report', 'By ref'],
  ['report', 'By ref'],
  ['mine/report@3', 'The third'],
])('artifact show %s', async (given, content) => {
  const { code, out } = await runAgainst(artifactCommands, answers, ['artifact', 'show', given])
  expect([code, out]).toEqual([exitCodes.ok, `${content}\n`])
})

it('fails for an unknown artifact', async () => {
  expect((await runAgainst(artifactCommands, answers, ['artifact', 'show', 'mine/nothing'])).code).toBe(
    exitCodes.failed,
  )
})
