// Guarantees: the total output of a workspace's commands is limited: the oldest output is deleted first and reported as
// discarded, and running commands are not affected.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { trimOutputs } from './retention.ts'
import { ended, exec, outputOf, type RemoteDouble, runOf, startRemote, until } from './testing/remote-double.ts'

let world: World
let remote: RemoteDouble
beforeAll(async () => {
  world = await createWorld({ settings: { EXEC_TEAM_OUTPUT_MB: '1' } })
  remote = await startRemote(world)
})
afterAll(() => world.close())

const chunk = Buffer.alloc(60 * 1024, 'x')

/** A command with this many chunks of output. */
const printed = async (chunks: number, isOver: boolean): Promise<string> => {
  world.clock.advance(1_000)
  const id = await exec(world, remote)
  await remote.next('remote_exec_start')
  for (let seq = 1; seq <= chunks; seq += 1) remote.print(id, seq, chunk)
  if (isOver) {
    remote.exit(id, 0)
    await ended(world, remote, id)
  } else await until(async () => (await runOf(world, remote, id)).last_seq === chunks)
  return id
}

it('the oldest output is deleted first; output of running commands is not, and no new command starts', async () => {
  const oldest = await printed(8, true)
  const newer = await printed(8, true)
  const running = await printed(8, false)
  await trimOutputs(world.open.platform)
  expect(await outputOf(world, remote, oldest)).toEqual([])
  expect(await runOf(world, remote, oldest)).toMatchObject({
    status: 'exited',
    exit_code: 0,
    dropped_bytes: 8 * chunk.length,
    error: `${8 * chunk.length} bytes of output were discarded: those of chunks 1 to 8`,
  })
  for (const id of [newer, running]) expect(await outputOf(world, remote, id)).toHaveLength(8)
  for (let seq = 9; seq <= 18; seq += 1) remote.print(running, seq, chunk)
  await until(async () => (await runOf(world, remote, running)).last_seq === 18)
  const refused = await world.call('member', `POST /remotes/${remote.id}/execs`, { body: { command: 'true' } })
  expect([refused.status, refused.code]).toEqual([409, 'invalid_state'])
  expect(await outputOf(world, remote, running)).toHaveLength(18)
  remote.exit(running, 0)
  await ended(world, remote, running)
  await exec(world, remote)
  expect(await outputOf(world, remote, newer)).toEqual([])
  expect(await outputOf(world, remote, running)).toEqual([])
})
