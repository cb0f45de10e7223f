// Schemas of authority: the chain of permissions from the starter down to a step.
import Type, { type Static } from 'typebox'
import { Json, StringEnum, Timestamp } from './common.ts'

export const AuthorityLink = Type.Object({
  kind: StringEnum(['starter', 'trigger', 'flow_run', 'run', 'tool', 'task']),
  id: Type.String({ description: 'Empty if the caller may not see the resource of the link' }),
  label: Type.String(),
  user_id: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String(), { description: 'Scopes of this link; never more than those of the link above' }),
  allowed_by: Type.Optional(Json),
  credential: Type.Optional(Json),
  at: Type.Optional(Timestamp),
})
export type AuthorityLink = Static<typeof AuthorityLink>

export const Authority = Type.Object({
  chain: Type.Array(AuthorityLink, { description: 'From the starter down to the requested step' }),
  tools: Type.Array(AuthorityLink, { description: 'Calls of the step: tools of a run, tasks of a flow run' }),
})
export type Authority = Static<typeof Authority>
