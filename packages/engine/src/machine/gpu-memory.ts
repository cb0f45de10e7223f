// The memory of the cards of this engine. Each app process reserves what its app declares, and the reservations on a
// card never exceed the card. Idle processes are ended, least recently used first, when another app needs the room. A
// process that uses more than it reserved counts with what it uses, and is ended when that leaves too little for the
// others.

import { gigabytes } from '@millrace/contract/gpu-selection'
import type { GpuProcess, GpuReader } from './gpus.ts'

export type GpuProcessFamily = {
  /** The process with its descendants. */
  pids: () => readonly number[]
  end: (reason: string) => void
}

/** The memory of one app process. */
export type GpuReservation = {
  attach: (family: GpuProcessFamily) => void
  /** A run begins: the process is not ended for another app. */
  begin: (onExceeded: (message: string) => void) => void
  /** The run is over. `evict` ends the process; without it, the process keeps its memory. */
  endRun: (evict: (() => Promise<void>) | undefined) => void
  /** The largest measured memory since the run began, or before it when the run was too short to be measured. */
  peakBytes: () => number | undefined
  measuredBytes: () => number
  release: () => void
}

export type ReserveRequest = {
  gpuIds: readonly string[]
  /** Per card. */
  bytes: number
  signal: AbortSignal
  onWait: (message: string) => void
}

export type GpuMemory = {
  reserve: (request: ReserveRequest) => Promise<GpuReservation>
  /** Measures all processes. A measurement that is running is reused. */
  measure: () => Promise<void>
  close: () => void
}

type Holder = {
  gpuIds: readonly string[]
  reserved: number
  /** Per card; the largest value of all cards counts. */
  measured: number | undefined
  peak: number | undefined
  isRunning: boolean
  evict: (() => Promise<void>) | undefined
  usedAt: number
  family: GpuProcessFamily | undefined
  onExceeded: ((message: string) => void) | undefined
  isReported: boolean
}

export type GpuMemoryOptions = {
  /** The memory of each card. */
  cards: ReadonlyMap<string, number>
  reader: Pick<GpuReader, 'processes'>
  intervalMs?: number
}

const defaultIntervalMs = 1_000

export const createGpuMemory = ({ cards, reader, intervalMs = defaultIntervalMs }: GpuMemoryOptions): GpuMemory => {
  const holders = new Set<Holder>()
  const waiting = new Set<() => void>()
  let clock = 0
  let timer: NodeJS.Timeout | undefined
  let measuring: Promise<void> | undefined

  const sharing = (gpuIds: readonly string[]) =>
    [...holders].filter((holder) => holder.gpuIds.some((id) => gpuIds.includes(id)))
  const usage = ({ reserved, measured = 0 }: Holder): number => Math.max(reserved, measured)
  const sum = (list: readonly Holder[], of: (holder: Holder) => number): number =>
    list.reduce((bytes, holder) => bytes + of(holder), 0)
  const sizeOf = (gpuId: string): number => cards.get(gpuId) ?? Number.POSITIVE_INFINITY
  /** The free memory of the fullest card. */
  const room = (gpuIds: readonly string[], of: (holder: Holder) => number): number =>
    Math.min(...gpuIds.map((id) => sizeOf(id) - sum(sharing([id]), of)))

  const changed = () => {
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake()
    updateTimer()
  }

  // Measures while an app runs. An idle process does not allocate, and telemetry measures it.
  const updateTimer = () => {
    const isNeeded = [...holders].some(({ isRunning }) => isRunning)
    if (isNeeded === (timer !== undefined)) return
    clearInterval(timer)
    timer = isNeeded ? setInterval(() => void measure(), intervalMs).unref() : undefined
    if (isNeeded) void measure()
  }

  const measure = (): Promise<void> => {
    measuring ??= reader
      .processes()
      .then((processes) => {
        for (const holder of holders) record(holder, processes)
        for (const id of cards.keys()) protect(id)
      })
      .finally(() => {
        measuring = undefined
      })
    return measuring
  }

  const record = (holder: Holder, processes: readonly GpuProcess[]) => {
    if (processes.length === 0) return
    const pids = new Set(holder.family?.pids())
    const own = processes.filter(({ pid, gpuId }) => pids.has(pid) && holder.gpuIds.includes(gpuId))
    const perCard = Map.groupBy(own, ({ gpuId }) => gpuId)
    holder.measured = Math.max(
      0,
      ...[...perCard.values()].map((list) => list.reduce((all, { bytes }) => all + bytes, 0)),
    )
    holder.peak = Math.max(holder.peak ?? 0, holder.measured)
    if (holder.measured <= holder.reserved || holder.isReported || !holder.onExceeded) return
    holder.isReported = true
    holder.onExceeded(`the app uses ${excess(holder)}`)
  }

  /** Ends processes that use more than they reserved while the card has too little memory for all. */
  const protect = (gpuId: string, more = 0) => {
    const list = sharing([gpuId])
    let missing = sum(list, usage) + more - sizeOf(gpuId)
    if (list.length < 2 && more === 0) return
    const exceeding = list.filter((holder) => usage(holder) > holder.reserved && holder.family)
    exceeding.sort((one, other) => usage(other) - other.reserved - (usage(one) - one.reserved))
    for (const holder of exceeding) {
      if (missing <= 0) return
      missing -= usage(holder)
      holder.family?.end(
        `GPU memory limit exceeded: the app used ${excess(holder)}, and another app needs the rest of the GPU. ` +
          'Declare the memory of the app in `resources.gpu.vram` of its inf.yml',
      )
    }
  }

  const evictOne = async (gpuIds: readonly string[]): Promise<boolean> => {
    const [oldest] = sharing(gpuIds)
      .filter(({ isRunning, evict }) => !isRunning && evict)
      .sort((one, other) => one.usedAt - other.usedAt)
    if (!oldest?.evict) return false
    const { evict } = oldest
    oldest.evict = undefined
    await evict()
    return true
  }

  const makeRoom = async ({ gpuIds, bytes, signal, onWait }: ReserveRequest): Promise<void> => {
    let hasWarned = false
    while (room(gpuIds, usage) < bytes) {
      signal.throwIfAborted()
      if (await evictOne(gpuIds)) continue
      if (room(gpuIds, usage) >= bytes) return
      // Others that use more than they reserved must not keep out an app that would fit.
      if (room(gpuIds, ({ reserved }) => reserved) >= bytes) for (const id of gpuIds) protect(id, bytes)
      if (room(gpuIds, usage) >= bytes) return
      if (!hasWarned)
        onWait(
          `Waiting for ${gigabytes(bytes)} of GPU memory: ${gigabytes(Math.max(0, room(gpuIds, usage)))} of ` +
            `${gigabytes(Math.min(...gpuIds.map(sizeOf)))} is free`,
        )
      hasWarned = true
      await next(signal)
    }
  }

  const next = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const stop = () => {
        waiting.delete(wake)
        reject(signal.reason)
      }
      const wake = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener('abort', stop, { once: true })
    })

  return {
    reserve: async (request) => {
      const bytes = Math.min(request.bytes, ...request.gpuIds.map(sizeOf))
      // Another reservation may take the room between the check and this function.
      do await makeRoom({ ...request, bytes })
      while (room(request.gpuIds, usage) < bytes)
      const holder: Holder = {
        gpuIds: request.gpuIds,
        reserved: bytes,
        measured: undefined,
        peak: undefined,
        isRunning: true,
        evict: undefined,
        usedAt: ++clock,
        family: undefined,
        onExceeded: undefined,
        isReported: false,
      }
      holders.add(holder)
      updateTimer()
      return reservationOf(holder, { changed, updateTimer, tick: () => ++clock, remove: () => holders.delete(holder) })
    },
    measure,
    close: () => clearInterval(timer),
  }
}

type Control = { changed: () => void; updateTimer: () => void; tick: () => number; remove: () => void }

const reservationOf = (holder: Holder, { changed, updateTimer, tick, remove }: Control): GpuReservation => ({
  attach: (family) => {
    holder.family = family
  },
  begin: (onExceeded) => {
    Object.assign(holder, { isRunning: true, evict: undefined, onExceeded, usedAt: tick(), peak: holder.measured })
    updateTimer()
  },
  endRun: (evict) => {
    Object.assign(holder, { isRunning: false, evict, onExceeded: undefined, usedAt: tick() })
    changed()
  },
  peakBytes: () => holder.peak,
  measuredBytes: () => holder.measured ?? 0,
  release: () => {
    remove()
    changed()
  },
})

const excess = ({ measured = 0, reserved }: Holder): string =>
  `${gigabytes(measured)} of GPU memory and declares ${gigabytes(reserved)}`
