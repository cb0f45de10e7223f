// Why a step could do what it did, on the wire: the chain from whoever started it down to the step.
import Type, { type Static } from 'typebox'
import { Json, StringEnum, Timestamp } from './common.ts'

export const AuthorityLink = Type.Object({
  kind: StringEnum(['starter', 'trigger', 'flow_run', 'run', 'tool', 'task']),
  id: Type.String({ description: 'Empty where the caller may not see the resource behind the link' }),
  label: Type.String(),
  user_id: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String(), { description: 'What this link may do; never more than the one before' }),
  allowed_by: Type.Optional(Json),
  credential: Type.Optional(Json),
  at: Type.Optional(Timestamp),
})
export type AuthorityLink = Static<typeof AuthorityLink>

export const Authority = Type.Object({
  chain: Type.Array(AuthorityLink, { description: 'From the starter down to the step that was asked about' }),
  tools: Type.Array(AuthorityLink, { description: 'What the step called: tools of a run, tasks of a flow run' }),
})
export type Authority = Static<typeof Authority>
