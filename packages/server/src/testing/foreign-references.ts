// Bodies that reference a row: the operation, the kind of row, and the field.
import { freshName } from '#agents/agents/testing/given.ts'
import { graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { oneStep } from '#automation/flow-runs/testing/given.ts'
import { registration } from '#machines/engines/testing/engine-double.ts'

/** The caller's own row of a kind. */
type OwnRow = (where: string, name?: string) => string

export type Reference = {
  /** Parameters are filled with the caller's own rows. */
  readonly route: string
  /** The path before its id; a dot is followed by a field other than `id`. */
  readonly kind: string
  readonly body: (value: string, ownRow: OwnRow) => object
}

const reference = (route: string, kind: string, body: Reference['body']): Reference => ({ route, kind, body })

const config = (ownRow: OwnRow, more: object) => ({
  agent_config: { core_app: { id: ownRow('/apps/') }, ...more },
  input: { text: 'hi' },
})
const agentRun = (ownRow: OwnRow, input: object) => ({ agent_id: ownRow('/agents/'), input: { text: 'hi', ...input } })
const version = (ownRow: OwnRow, more: object) => ({
  name: freshName(),
  version: { core_app: { id: ownRow('/apps/') }, ...more },
})

const runs = [
  reference('POST /run', '/apps/', (id) => ({ app_id: id, input: { text: 'hi' } })),
  reference('POST /run', '/apps/.name', (name) => ({ app: `mill/${name}`, input: { text: 'hi' } })),
  reference('POST /run', '/apps/.versionId', (id, ownRow) => ({ app_id: ownRow('/apps/'), version_id: id, input: {} })),
  reference('POST /run', '/sessions/', (id, ownRow) => ({
    app_id: ownRow('/apps/'),
    session: id,
    input: { text: 'x' },
  })),
  reference('POST /run', '/engines/', (id, ownRow) => ({
    app_id: ownRow('/apps/'),
    workers: [id],
    input: { text: 'x' },
  })),
  reference('POST /flowruns', '/flows/', (id) => ({ flow: id, input: {} })),
  reference('POST /flows/:id', '/apps/', (id) => oneStep(id)),
  reference('POST /flows/:id', '/agents/', (id) =>
    graphOf({ in: { type: 'inputNode' }, step: { data: { agent_id: id } } }),
  ),
  reference('POST /engines/resources', '/apps/', (id) => ({ app_ids: [id] })),
  reference('POST /engines/resources', '/agents/', (id) => ({ resources: {}, agent_ids: [id] })),
  reference('POST /engines/register', '/engines/', (id) => registration({ id })),
]

const triggers = (
  [
    ['run_app', 'app_id', '/apps/'],
    ['run_flow', 'flow_id', '/flows/'],
    ['run_agent', 'agent_id', '/agents/'],
    ['resolve_interrupt', 'interrupt_id', '/interrupts/'],
  ] as const
).map(([action, field, kind]) =>
  reference('POST /triggers', kind, (id) => ({ name: 'T', type: 'manual', action, [field]: id })),
)

const talk = [
  reference('POST /agents', '/apps/', (id) => ({ name: freshName(), version: { core_app: { id } } })),
  reference('POST /agents', '/apps/.name', (name) => ({
    name: freshName(),
    version: { core_app: { ref: `mill/${name}` } },
  })),
  reference('POST /agents', '/skills/', (id, ownRow) =>
    version(ownRow, { skills: [{ name: 'one', description: 'D', skill_id: id }] }),
  ),
  reference('POST /agents/run', '/skills/', (id, ownRow) =>
    config(ownRow, { skills: [{ name: 'one', description: 'D', skill_id: id }] }),
  ),
  ...(['app', 'agent'] as const).map((type) =>
    reference('POST /agents', `/${type}s/`, (id, ownRow) =>
      version(ownRow, { tools: [{ name: 'tool', type, [type]: { id } }] }),
    ),
  ),
  reference('POST /agents/:id', '/projects/', (id) => ({ project_id: id })),
  reference('POST /agents/:id', '/remotes/', (id) => ({ remote_id: id })),
  reference('POST /agents/run', '/agents/', (id) => ({ agent_id: id, input: { text: 'hi' } })),
  reference('POST /agents/run', '/agents/.name', (name) => ({ agent: `mill/${name}`, input: { text: 'hi' } })),
  reference('POST /agents/run', '/agents/.name', (name) => ({ agent_ref: `mill/${name}`, input: { text: 'hi' } })),
  reference('POST /agents/run', '/agents/.versionId', (id, ownRow) => ({
    ...agentRun(ownRow, {}),
    agent_version_id: id,
  })),
  reference('POST /agents/run', '/chats/', (id) => ({ chat_id: id, input: { text: 'hi' } })),
  reference('POST /agents/run', '/files/.uri', (uri, ownRow) => agentRun(ownRow, { files: [uri] })),
  reference('POST /agents/run', '/files/.uri', (uri, ownRow) => agentRun(ownRow, { attachments: [{ uri }] })),
  reference('POST /chats', '/agents/', (id) => ({ agent: id, name: 'C' })),
  reference('POST /chats/:id', '/projects/', (id) => ({ project_id: id })),
  reference('POST /chats/:id/agent', '/agents/', (id) => ({ agent: id })),
  reference('POST /chats/:id/fork', '/chats/messages/', (id) => ({ message_id: id })),
]

const kept = [
  reference('POST /projects', '/projects/', (id) => ({ name: 'P', type: 'agent', parent_id: id })),
  reference('POST /projects/:id', '/projects/', (id) => ({ parent_id: id })),
  reference('POST /projects/move', '/projects/', (id, ownRow) => ({ project_id: id, agent_id: ownRow('/agents/') })),
  ...(['agent', 'chat', 'trigger'] as const).map((kind) =>
    reference('POST /projects/move', `/${kind}s/`, (id, ownRow) => ({
      project_id: ownRow('/projects/'),
      [`${kind}_id`]: id,
    })),
  ),
  reference('POST /skills', '/skills/', (id) => ({
    ...{ name: 'a-skill', description: 'D', instructions: 'I', files: [] },
    parent_skill_id: id,
  })),
  reference('POST /skills/:id', '/skills/.versionId', (id) => ({ instructions: 'I', parent_version_id: id })),
  reference('POST /artifacts/:id/versions', '/artifacts/.versionId', (id) => ({ content: 'x', base_version_id: id })),
  reference('POST /artifacts/:id', '/artifacts/.versionId', (id) => ({ shared_version_id: id })),
  reference('POST /vaults/:id/credentials', '/credentials/.credentialId', (id) => ({ credential_id: id })),
  reference('DELETE /vaults/:id/credentials', '/credentials/.credentialId', (id) => ({ credential_id: id })),
  reference('POST /vaults/:id/secrets', '/secrets/', (id) => ({ secret_id: id })),
  reference('DELETE /vaults/:id/secrets', '/secrets/', (id) => ({ secret_id: id })),
  reference('POST /suggest/convert', '/chats/messages/', (id) => ({ ref: id, resource_name: 'mill/x' })),
  ...(
    [
      ['agent', '/agents/'],
      ['api_key', '/apikeys/'],
      ['flow', '/flows/'],
      ['trigger', '/triggers/'],
    ] as const
  ).map(([subject_type, kind]) =>
    reference('POST /budgets', kind, (id) => ({ subject_type, subject_id: id, period: 'day', limit: 5_000_000_000 })),
  ),
]

const handed = ['/apps/', '/flows/', '/agents/', '/knowledge/', '/skills/', '/artifacts/', '/engines/'].map((kind) =>
  reference(`POST ${kind}:id/transfer`, '/teams/', (id) => ({ team_id: id })),
)

export const references: readonly Reference[] = [
  ...runs,
  ...triggers,
  ...talk,
  ...kept,
  ...handed,
  reference('POST /me', '/teams/', (id) => ({ default_team_id: id })),
]
