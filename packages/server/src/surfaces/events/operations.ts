// Streams the events of a workspace. It cannot be resumed: a new connection starts with the next event.
import { Json } from '@millrace/contract/common'
import Type from 'typebox'
import { type TeamNews, teamSubject } from '#platform/bus/subjects.ts'
import { topicStream } from '#platform/bus/topic-stream.ts'
import type { Member } from '#platform/core/actor.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { operation } from '#platform/core/operation.ts'
import { hasScope } from '#platform/core/scope-checks.ts'

const shared = new WeakMap<TeamNews, { type: 'update'; name: string; data: object; fields?: readonly string[] }>()

/** One object per event, so that it is serialized once for all readers. */
const eventOf = (news: TeamNews) => {
  const { only: _only, needs: _needs, ...shown } = news
  const known = shared.get(news) ?? { type: 'update' as const, ...shown }
  shared.set(news, known)
  return known
}

const concerns = (news: TeamNews, actor: Member): boolean =>
  (news.only === undefined || news.only === actor.userId) && (news.needs === undefined || hasScope(actor, news.needs))

async function* events(news: AsyncIterable<TeamNews>, actor: Member) {
  for await (const one of news) if (concerns(one, actor)) yield eventOf(one)
}

export const eventOperations = [
  operation({
    name: 'events.stream',
    door: 'GET /events',
    summary: 'Stream changes in the workspace',
    scope: 'teams:read',
    checkedScopes: ['agents:read', 'billing:read', 'engines:read'],
    stream: true,
    reply: Type.Unsafe<EventStream>(Json),
    run: ({ bus, actor }) => ({
      single: false,
      open: (signal) => events(topicStream<TeamNews>(bus, teamSubject(actor.teamId), signal), actor),
    }),
  }),
]
