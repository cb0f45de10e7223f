// Schemas of the installation, for its staff: workspaces with their limits, blocked addresses, and health.
import Type, { type Static } from 'typebox'
import { billingStatuses } from './billing.ts'
import { IdPath, Nullable, PathText, StringEnum, Timestamp } from './common.ts'
import { EntitlementUsage } from './plans.ts'
import { Team } from './teams.ts'

export const Workspace = Type.Object({
  id: Type.String(),
  short_id: Type.String(),
  created_at: Timestamp,
  type: Team.properties.type,
  name: Type.String(),
  username: Type.String(),
  status: Team.properties.status,
  members: Type.Integer(),
  plans: Type.Array(Type.String(), { description: 'Names of the plan and add-ons; empty on the default plan' }),
  billing_status: StringEnum(billingStatuses),
})
export type Workspace = Static<typeof Workspace>

export const WorkspaceLimit = Type.Object({
  ...EntitlementUsage.properties,
  overridden: Type.Boolean({ description: 'Staff have overridden the limit for this workspace' }),
})
export type WorkspaceLimit = Static<typeof WorkspaceLimit>

export const LimitPath = Type.Object({
  ...IdPath.properties,
  resource: PathText,
})

export const SetLimit = Type.Object({
  limit: Nullable(Type.Integer({ minimum: 0, description: 'Null is unlimited; 0 disables a feature' })),
  enforcement: Type.Optional(StringEnum(['block', 'warn'])),
})
export type SetLimit = Static<typeof SetLimit>

export const WorkspacePlanPath = Type.Object({
  ...IdPath.properties,
  plan: Type.String({ minLength: 1, description: 'Its name' }),
})

export const IpBlock = Type.Object({
  id: Type.String(),
  network: Type.String({ description: 'An address or a network, such as 203.0.113.0/24' }),
  reason: Type.String(),
  created_at: Timestamp,
})
export type IpBlock = Static<typeof IpBlock>

export const CreateIpBlock = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 64 }),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
})
export type CreateIpBlock = Static<typeof CreateIpBlock>

const Counts = Type.Record(Type.String(), Type.Integer(), { description: 'Number per status' })

export const Health = Type.Object({
  version: Type.String(),
  servers: Type.Array(
    Type.Object({
      id: Type.String(),
      address: Type.String(),
      version: Type.String(),
      bus: Type.String({ description: 'How events are sent between servers' }),
      started_at: Timestamp,
      draining: Type.Boolean(),
      answers: Type.Boolean({ description: 'The server that sent this reply' }),
    }),
  ),
  engines: Counts,
  workers: Counts,
  queue: Type.Object({
    waiting: Type.Integer(),
    oldest_seconds: Type.Number({ description: 'Age of the oldest queued task' }),
    on_engines: Type.Integer(),
  }),
  jobs: Type.Object({
    waiting: Type.Integer({ description: 'Ready to run' }),
    running: Type.Integer(),
    given_up: Type.Integer({ description: 'Out of retries' }),
    latest_failures: Type.Array(
      Type.Object({ name: Type.String(), attempts: Type.Integer(), error: Type.String(), updated_at: Timestamp }),
    ),
  }),
  disk: Type.Object({
    free_bytes: Type.Integer({ description: 'On the disk with the data folder of the replying server' }),
    total_bytes: Type.Integer(),
  }),
  database: Type.Object({
    bytes: Type.Integer(),
    connections: Type.Integer(),
    max_connections: Type.Integer(),
    largest_tables: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer(), rows: Type.Integer() })),
  }),
})
export type Health = Static<typeof Health>
