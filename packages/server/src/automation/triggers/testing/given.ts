// Triggers for tests, created through the API.

import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '@millrace/contract/apps'
import type { Trigger, TriggerFire } from '@millrace/contract/triggers'
import { sql } from 'kysely'
import { chatWith, getChat } from '#agents/chats/testing/given.ts'
import { deploy, show } from '#execution/apps/testing/given.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Answer, As, World } from '../../../testing/world.ts'
import { dispatchWaiting } from '../dispatch.ts'
import { fireDue } from '../scheduler.ts'

/** An app of the owner that accepts any input, visible in the workspace. */
export const givenApp = async (world: World): Promise<App> =>
  show(
    world,
    'owner',
    await deploy(world, 'owner', {
      version: {
        repository: 'https://bundles.example.com/any.zip',
        kernel: 'node-22',
        functions: { run: { input_schema: { type: 'object', properties: { n: { type: 'number' } } } } },
      },
    }),
    'team',
  )

export const createTrigger = async (world: World, as: As, body: object): Promise<Trigger> => {
  const answer = await world.call(as, 'POST /triggers', { body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

/** A webhook trigger of the owner that runs the app, by default. */
export const givenTrigger = async (world: World, body: object = {}, as: As = 'owner'): Promise<Trigger> => {
  const app = await givenApp(world)
  return createTrigger(world, as, { name: 'Nightly', type: 'webhook', action: 'run_app', app_id: app.id, ...body })
}

export const givenSecretFor = async (world: World, value: string): Promise<string> => {
  const key = `HOOK_${Math.random().toString(36).slice(2).toUpperCase()}`
  const answer = await world.call('owner', 'POST /secrets', { body: { key, value } })
  if (answer.status !== 200) throw new Error(answer.text)
  return key
}

export const sendHook = (
  world: World,
  trigger: { id: string },
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Answer> => world.call(null, `POST /triggers/${trigger.id}/hook`, { body, headers })

const openWork = async ({ open: { platform }, clock }: World): Promise<boolean> => {
  const { rows } = await sql<{ open: boolean }>`
    select exists (select from trigger_fires where status = 'pending')
      or exists (select from triggers where next_fire_at <= ${clock.now().toISOString()}::timestamptz) as open`.execute(
    platform.db,
  )
  return rows[0]?.open === true
}

/** Fires everything due and dispatches everything waiting; the server's own loops finish what they have claimed. */
export const settle = async (world: World): Promise<void> => {
  const ctx = createCtx(world.open.platform, guest)
  while (await openWork(world)) {
    await fireDue(ctx)
    await dispatchWaiting(ctx)
    await sleep(2)
  }
}

/** The expiry trigger of an agent's gate. */
export const expiryOf = async (world: World, timeout = 60): Promise<Trigger> => {
  const hooks = [{ event: 'agent.turn_start', type: 'gate', timeout }]
  const [gate] = (await getChat(world, await chatWith(world, { hooks }))).pending_interrupts
  const filters = JSON.stringify([{ field: 'interrupt_id', value: gate?.id }])
  return (await world.call('owner', 'GET /triggers', { query: { filters } })).data.items[0]
}

/** The log of a trigger, oldest first. */
export const firesOf = async (world: World, trigger: { id: string }, as: As = 'owner'): Promise<TriggerFire[]> => {
  await settle(world)
  const answer = await world.call(as, 'POST /trigger-fires/list', {
    body: {
      limit: -1,
      filters: [{ field: 'trigger_id', operator: 'eq', value: trigger.id }],
      sort: [{ field: 'created_at', dir: 'asc' }],
    },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.items
}

/** Tasks that a trigger has started. */
export const tasksOf = (world: World, trigger: { id: string }) =>
  world.open.platform.db
    .selectFrom('tasks')
    .selectAll()
    .where((where) => where.eb(where.ref('metadata', '->>').key('trigger_id' as never), '=', trigger.id as never))
    .orderBy('created_at')
    .execute()
