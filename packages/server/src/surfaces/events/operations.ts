// Streams the events of a workspace. It cannot be resumed: a new connection starts with the next event.
import { Json } from '@millrace/contract/common'
import Type from 'typebox'
import { type TeamUpdate, teamSubject } from '#platform/bus/subjects.ts'
import { topicStream } from '#platform/bus/topic-stream.ts'
import type { Member } from '#platform/core/actor.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { operation } from '#platform/core/operation.ts'
import { hasScope } from '#platform/core/scope-checks.ts'

const shared = new WeakMap<TeamUpdate, { type: 'update'; name: string; data: object; fields?: readonly string[] }>()

/** One object per event, so that it is serialized once for all readers. */
const eventOf = (update: TeamUpdate) => {
  const { only: _only, needs: _needs, ...shown } = update
  const known = shared.get(update) ?? { type: 'update' as const, ...shown }
  shared.set(update, known)
  return known
}

const concerns = (update: TeamUpdate, actor: Member): boolean =>
  (update.only === undefined || update.only === actor.userId) &&
  (update.needs === undefined || hasScope(actor, update.needs))

async function* events(updates: AsyncIterable<TeamUpdate>, actor: Member) {
  for await (const one of updates) if (concerns(one, actor)) yield eventOf(one)
}

export const eventOperations = [
  operation({
    name: 'events.stream',
    route: 'GET /events',
    summary: 'Stream changes in the workspace',
    scope: 'teams:read',
    checkedScopes: ['agents:read', 'billing:read', 'engines:read'],
    stream: true,
    reply: Type.Unsafe<EventStream>(Json),
    run: ({ bus, actor }) => ({
      single: false,
      open: (signal) => events(topicStream<TeamUpdate>(bus, teamSubject(actor.teamId), signal), actor),
    }),
  }),
]
