// Shapes of engines and workers as the API shows them. The frames between engine and server are in engine-frames.ts.
import Type from 'typebox'
import { baseFields, Json, JsonObject, Nullable, permissionFields, StringEnum } from './common.ts'
import { WorkerConfig } from './engine-frames.ts'
import { engineStatuses } from './engine-status.ts'

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
  instance: Type.Optional(Json),
  workers: Type.Array(Worker),
})

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
    min_price: Type.Optional(Type.Integer()),
    max_price: Type.Optional(Type.Integer()),
  }),
  error: Type.Optional(Type.String()),
})
