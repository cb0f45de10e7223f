// Schemas of engines and workers in the API. The frames between engine and server are in engine-frames.ts.
import Type, { type Static } from 'typebox'
import { baseFields, Json, JsonObject, Nullable, permissionFields, StringEnum } from './common.ts'
import { WorkerConfig } from './engine-frames.ts'
import { engineStatuses } from './engine-status.ts'
import { Instance, rentalTypes } from './instances.ts'

const workerFields = {
  id: Type.String(),
  index: Type.Integer(),
  user_id: Type.String(),
  team_id: Type.String(),
  status: StringEnum(['reserved', 'busy', 'idle', 'inactive']),
  engine_id: Type.String(),
  task_id: Nullable(Type.String()),
  app_id: Type.String(),
  app_version_id: Type.String(),
  active_session_id: Nullable(Type.String()),
  gpus: Type.Array(JsonObject),
  cpus: Type.Array(JsonObject),
  rams: Type.Array(JsonObject),
}

export const Worker = Type.Object({
  ...baseFields,
  ...workerFields,
  system_info: Json,
  warm_apps: Type.Array(Type.String()),
})

export const WorkerSummary = Type.Object({ ...workerFields, engine_name: Type.String() })

export const Engine = Type.Object({
  ...baseFields,
  ...permissionFields,
  name: Type.String(),
  api_url: Type.String(),
  status: StringEnum(engineStatuses),
  stop_reason: Type.Optional(Type.String()),
  engine_version: Type.String(),
  config: JsonObject,
  system_info: Type.Optional(Json),
  instance: Type.Optional(Instance),
  workers: Type.Array(Worker),
})

export const CreateEngine = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  end_time: Type.String({ format: 'date-time', description: 'End of the rental, 1 hour to 30 days from now' }),
  instance_type: Type.Object({
    cloud: Type.String({ minLength: 1, maxLength: 64 }),
    region: Type.String({ minLength: 1, maxLength: 100 }),
    catalog_instance_type: Type.String({ minLength: 1, maxLength: 200 }),
    rental_type: Type.Optional(StringEnum(rentalTypes)),
    hourly_price: Type.Optional(Type.Unknown({ description: "Ignored: the catalog's price applies" })),
  }),
})
export type CreateEngine = Static<typeof CreateEngine>

export const ExtendEngine = Type.Object({
  end_time: Type.Optional(Type.String({ format: 'date-time' })),
  hours: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 720, description: 'Default: 1' })),
})
export type ExtendEngine = Static<typeof ExtendEngine>

export const UpdateEngine = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  config: Type.Optional(Type.Object({ workers: Type.Optional(WorkerConfig) })),
})

export const MatchResources = Type.Object({
  resources: Type.Optional(
    Type.Object({
      gpu: Type.Optional(
        Type.Object({
          count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1024 })),
          vram: Type.Optional(Type.Integer({ minimum: 0 })),
          type: Type.Optional(StringEnum(['any', 'none', 'nvidia', 'amd', 'intel', 'apple', ''])),
        }),
      ),
      ram: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  app_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  agent_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
})

export const ResourceMatch = Type.Object({
  private: Type.Object({ workers: Type.Array(WorkerSummary) }),
  cloud: Type.Object({
    can_run: Type.Boolean(),
    min_price: Type.Integer({ description: 'Cents per hour; 0 if no offer matches' }),
    max_price: Type.Integer({ description: 'Cents per hour; 0 if no offer matches' }),
  }),
  error: Type.Optional(Type.String()),
})
