// Converts the steps of a chain to links. A link shows the scopes recorded when its step began, so later changes to a
// trigger or key do not alter history. Pure.
import type { AuthorityLink } from '@millrace/contract/authority'
import { allScopes, type Grant, holds } from '@millrace/contract/scopes'
import type { CallLink, FlowRunLink, RunLink, TaskLink, TriggerLink } from './store.ts'

export type ChainStep =
  | { kind: 'task'; row: TaskLink }
  | { kind: 'flow_run'; row: FlowRunLink }
  | { kind: 'run'; row: RunLink }
  | { kind: 'tool'; row: CallLink; run: RunLink }
  /** `by`: the step that the trigger started, which recorded the trigger's grant. */
  | { kind: 'trigger'; id: string; row: TriggerLink | undefined; by: Recorded }

/** Columns of every row that runs something. */
type Recorded = { team_id: string; user_id: string; run_as: unknown; created_at: string }

export const scopesOf = (grant: unknown): string[] => allScopes.filter((scope) => holds(grant as Grant, scope))

export const recordedBy = (step: ChainStep): Recorded => {
  if (step.kind === 'trigger') return step.by
  return step.kind === 'tool' ? step.run : step.row
}

type StartedBy = { kind?: string; id?: string }

/** The key or the person; a run of an agent also names the sign-in. */
export const starterLink = (top: ChainStep): AuthorityLink => {
  const { run_as, user_id, created_at } = recordedBy(top)
  const { key } = run_as as Grant
  const { kind, id } = top.kind === 'run' ? (top.row.started_by as StartedBy) : {}
  return {
    kind: 'starter',
    id: key ?? id ?? user_id,
    label: key === undefined ? (kind ?? 'person') : 'key',
    user_id,
    scopes: scopesOf(run_as),
    at: created_at,
  }
}

type Required = readonly { key?: string; provider?: string }[]

/** Names of the secrets and connections that an app receives, never values. */
const credentialOf = ({ required_secrets, required_credentials }: TaskLink) => {
  const secrets = ((required_secrets ?? []) as Required).map(({ key }) => key)
  const credentials = ((required_credentials ?? []) as Required).map(({ provider, key }) => provider ?? key)
  return secrets.length + credentials.length === 0 ? {} : { credential: { secrets, credentials } }
}

const taskLabel = ({ namespace, name, flow_node_id }: TaskLink): string =>
  namespace !== null && name !== null ? `${namespace}/${name}` : (flow_node_id ?? '')

export const callLink = (call: CallLink, run: RunLink): AuthorityLink => ({
  kind: 'tool',
  id: call.id,
  label: call.name,
  scopes: scopesOf(run.run_as),
  ...(call.allowed_by !== null && { allowed_by: call.allowed_by }),
  ...(call.used !== null && { credential: call.used }),
  at: call.created_at,
})

export const linkOf = (step: ChainStep): AuthorityLink => {
  const { run_as, user_id, created_at } = recordedBy(step)
  const scopes = scopesOf(run_as)
  switch (step.kind) {
    case 'tool':
      return callLink(step.row, step.run)
    case 'trigger':
      return { kind: 'trigger', id: step.id, label: step.row?.name ?? 'trigger', user_id, scopes, at: created_at }
    case 'flow_run':
      return { kind: 'flow_run', id: step.row.id, label: step.row.flow_id, user_id, scopes, at: created_at }
    case 'run':
      return {
        kind: 'run',
        id: step.row.id,
        label: step.row.agent_id ?? 'ad-hoc agent',
        user_id,
        scopes,
        at: created_at,
      }
    case 'task':
      return {
        kind: 'task',
        id: step.row.id,
        label: taskLabel(step.row),
        user_id,
        scopes,
        ...credentialOf(step.row),
        at: created_at,
      }
  }
}

/** A link to a resource that the reader may not read shows only its kind and scopes. */
export const hiddenLink = ({ kind, scopes }: AuthorityLink): AuthorityLink => ({ kind, id: '', label: '', scopes })
