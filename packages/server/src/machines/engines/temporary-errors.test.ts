// Guarantees: temporary errors fail no run. An end that the database temporarily rejected is accepted when the engine
// repeats it; tasks that a leaving engine never accepted are sent to another.
import { toBase64 } from '@millrace/contract/engine-frames'
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { about, serveOne, startEngine } from './testing/engine-double.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('an end that met a deadlock is repeated and counts', async () => {
  const { db } = world.open.platform
  // A sequence is not rolled back, so only the first end fails.
  await sql`create sequence ends`.execute(db)
  await sql`create function in_the_way() returns trigger language plpgsql as $$ begin
    if new.status >= 10 and nextval('ends') = 1 then raise exception 'in the way' using errcode = '40P01'; end if;
    return new; end $$`.execute(db)
  await sql`create trigger in_the_way before update on tasks for each row execute function in_the_way()`.execute(db)
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  const isAcknowledged = () => engine.received.some(({ type }) => type === 'task_ack')
  await until(async () => {
    engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{"done":true}') } })
    return isAcknowledged()
  })
  expect(await taskOf(world, id)).toMatchObject({ status: 10, output: { done: true } })
  await sql`drop trigger in_the_way on tasks`.execute(db)
  await engine.drop()
})

it('an output that always takes too long to store fails its task', async () => {
  const { db } = world.open.platform
  await sql`create sequence tries`.execute(db)
  await sql`create function too_slow() returns trigger language plpgsql as $$ begin
    if new.status = 10 and nextval('tries') > 0 then raise exception 'too slow' using errcode = '57014'; end if;
    return new; end $$`.execute(db)
  await sql`create trigger too_slow before update on tasks for each row execute function too_slow()`.execute(db)
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  await until(async () => {
    engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{}') } })
    return engine.received.some(({ type }) => type === 'task_ack')
  })
  expect(await taskOf(world, id)).toMatchObject({ status: taskStatus.failed, error: 'The output could not be stored' })
  expect((await sql<{ times: number }>`select last_value::int as times from tries`.execute(db)).rows).toEqual([
    { times: 5 },
  ])
  await sql`drop trigger too_slow on tasks`.execute(db)
  await engine.drop()
})

it('tasks that a stopping engine never accepted run elsewhere', async () => {
  const leaving = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  await leaving.next('task_run')
  leaving.heartbeat(undefined, 'stopping')
  const shown = async () => (await world.call('platform', `GET /engines/${leaving.id}`, { team: leaving.team })).data
  await until(async () => (await shown()).status === 'stopping')
  await leaving.drop()
  await until(async () => (await taskOf(world, id)).status === taskStatus.queued)
  // A requeued task is delayed for a moment.
  world.clock.advance(1_000)
  const other = await startEngine(world, { cloud: true })
  await serveOne(other, { from: 'the other' })
  expect(await taskOf(world, id)).toMatchObject({ status: 10, output: { from: 'the other' } })
  await other.drop()
})
