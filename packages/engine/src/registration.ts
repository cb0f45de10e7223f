// Registers this engine with the API and retries until the API answers.

import { setTimeout as sleep } from 'node:timers/promises'
import type { RegisterResponse } from '@millrace/contract/engine-frames'
import { type Api, ApiRefusal } from './api.ts'
import type { EngineConfig } from './config.ts'
import { messageOf } from './failures.ts'
import { backoffMs } from './link/backoff.ts'
import type { Log } from './log.ts'
import type { SystemReader } from './machine/system-info.ts'
import type { EngineState } from './state-file.ts'

export type Registration = {
  config: EngineConfig
  state: EngineState
  api: Api
  readSystem: SystemReader
  log: Log
  signal: AbortSignal | undefined
}

// The API may start after the engine, so only a refusal is final.
export const register = async ({
  config,
  state,
  api,
  readSystem,
  log,
  signal,
}: Registration): Promise<RegisterResponse> => {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted()
    try {
      return await api.register({
        local_engine_state: {
          ...(state.engineId && { id: state.engineId, engine_id: state.engineId }),
          name: config.name,
          config: publicConfig(config),
          public_key: state.keys.publicKey,
        },
        api_url: config.apiUrl,
        system_info: await readSystem(),
        worker_config: config.workers,
      })
    } catch (error) {
      if (error instanceof ApiRefusal) throw error
      const waitMs = backoffMs(failures, Math.random())
      log('warn', 'registration failed', { error: messageOf(error), waitMs })
      await sleep(waitMs, undefined, signal ? { signal } : {})
    }
  }
}

// The configuration that the server may show. It never contains the key.
const publicConfig = (config: EngineConfig): Record<string, unknown> => ({
  name: config.name,
  api_url: config.apiUrl,
  workers: config.workers,
  cache_path: config.cachePath,
  container_mode: config.runtime === 'container',
  runtime: config.runtime,
  network_name: config.network ?? '',
})
