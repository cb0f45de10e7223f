// How an engine ends: drained, stopped, restarted, refused or replaced. The first request wins. The steps are always
// the same: accept no new tasks, end the running ones, deliver pending results, close.

import type { EngineStatus } from '@millrace/contract/engine-frames'
import type { Api } from './api.ts'
import type { Link } from './link/link.ts'
import type { Log } from './log.ts'
import type { Pool } from './workers/pool.ts'

export type EngineEnd = {
  reason: 'stopped' | 'drained' | 'restart' | 'refused' | 'replaced' | 'abandoned'
  version?: string
}

export type Lifecycle = {
  status: () => EngineStatus
  finished: Promise<EngineEnd>
  drain: (end: EngineEnd) => void
  stop: () => Promise<void>
  refused: (reason: 'unauthorized' | 'unknown_engine' | 'replaced') => void
  // The server has been unreachable for longer than the configured limit.
  abandoned: () => void
}

type LifecycleParts = {
  pool: Pool
  link: () => Link
  api: Api
  log: Log
  close: () => Promise<void>
  stopping: AbortController
}

const ackTimeoutMs = 10_000
const refusalsUntilEnd = 5

export const createLifecycle = ({ pool, link, api, log, close, stopping }: LifecycleParts): Lifecycle => {
  let status: EngineStatus = 'running'
  let refusals = 0
  let ending: Promise<void> | undefined
  let finish: (end: EngineEnd) => void = () => {}
  const finished = new Promise<EngineEnd>((resolve) => {
    finish = resolve
  })

  const become = (next: EngineStatus) => {
    status = next
    link().beat()
  }
  const shut = async (end: EngineEnd, flushDelayMs: number) => {
    stopping.abort()
    await pool.stop()
    await link().settled(flushDelayMs)
    await link().close()
    await Promise.all([api.close(), close()])
    log('info', 'ended', { reason: end.reason })
    finish(end)
  }
  const endOnce = (act: () => Promise<void>): Promise<void> => {
    ending ??= act()
    return ending
  }

  return {
    status: () => status,
    finished,
    drain: (end) => {
      if (status !== 'running') return
      pool.refuseNew()
      become(end.reason === 'restart' ? 'restarting' : 'draining')
      void pool.idle().then(() =>
        endOnce(async () => {
          await link().settled(ackTimeoutMs)
          if (end.reason !== 'restart') become('stopping')
          await shut(end, 0)
        }),
      )
    },
    stop: () =>
      endOnce(async () => {
        become('stopping')
        await shut({ reason: 'stopped' }, 2_000)
      }),
    abandoned: () => {
      log('warn', 'the server has been unreachable for too long')
      void endOnce(() => shut({ reason: 'abandoned' }, 0))
    },
    refused: (reason) => {
      if (reason === 'unauthorized' && ++refusals < refusalsUntilEnd) return
      log('error', 'the server refuses this engine', { reason })
      void endOnce(() => shut({ reason: reason === 'replaced' ? 'replaced' : 'refused' }, 0))
    },
  }
}
