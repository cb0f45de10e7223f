// Converts engine and worker rows to their form on the wire.

import type { WorkerConfig } from '@millrace/contract/engine-frames'
import { shortId } from '@millrace/contract/ids'
import type { Instance } from '@millrace/contract/instances'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { EngineRow } from './store.ts'
import { clientInfo } from './system-info.ts'
import type { WorkerRow } from './worker-store.ts'

type JsonObject = Record<string, unknown>

/** Fields that an engine did not report are empty, never missing. */
const emptyConfig = {
  engine_port: '',
  container_mode: false,
  network_name: '',
  cache_path: '',
  gpus: [],
  callback_base_port: 0,
  engine_internal_api_url: '',
}

export const workerSummaryDto = (row: WorkerRow, engineName: string) => ({
  id: row.id,
  index: row.index,
  user_id: row.user_id,
  team_id: row.team_id,
  status: row.status,
  engine_id: row.engine_id,
  task_id: row.task_id,
  app_id: row.app_id,
  app_version_id: row.app_version_id,
  active_session_id: row.active_session_id,
  gpus: row.gpus as JsonObject[],
  cpus: row.cpus as JsonObject[],
  rams: row.rams as JsonObject[],
  engine_name: engineName,
})

const toWorker = (row: WorkerRow, engineVersion: string) => ({
  ...workerSummaryDto(row, ''),
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  system_info: clientInfo(row.system_info, engineVersion),
  warm_apps: row.warm_apps,
})

/** The layout as requested, possibly only a part. */
const shownConfig = (row: EngineRow) => {
  const { workers, ...config } = row.config as JsonObject
  const { gpu, cpu } = (workers ?? {}) as WorkerConfig
  const layout = { gpu: gpu ?? [], cpu: { count: cpu?.count ?? 0 } }
  // The engine's key is never shown again.
  return { api_url: row.api_url, ...emptyConfig, ...config, workers: layout, api_key: '' }
}

export const engineDto = (row: EngineRow, workers: readonly WorkerRow[], instance: Instance | undefined) => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility as 'team',
  name: row.name,
  api_url: row.api_url,
  status: row.status,
  ...(row.stop_reason === '' ? {} : { stop_reason: row.stop_reason }),
  engine_version: row.engine_version,
  config: shownConfig(row),
  ...(row.system_info === null ? {} : { system_info: clientInfo(row.system_info, row.engine_version) }),
  ...(instance ? { instance } : {}),
  workers: workers.map((worker) => toWorker(worker, row.engine_version)),
})
