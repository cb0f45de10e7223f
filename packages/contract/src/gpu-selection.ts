// Which cards an engine offers, and in which workers: `all`, `none`, or workers separated by commas, where `+` joins the
// cards of one worker (`0,1` are two workers, `0+1` is one with two cards, and `0,0` are two that share a card). Pure.

import type { SystemGpu, WorkerConfig } from './engine-frames.ts'

export type GpuSelection = 'all' | 'none' | { gpus: number[] }[]

export const selectionPattern = '^(all|none|\\d+([,+]\\d+)*)$'

export const parseSelection = (text: string): GpuSelection => {
  if (text === 'all' || text === 'none') return text
  return text.split(',').map((worker) => ({ gpus: [...new Set(worker.split('+').map(Number))] }))
}

/** The layout to request. Without a `gpu` part, the server plans one worker per card. */
export const withSelection = (workers: WorkerConfig, selection: GpuSelection | undefined): WorkerConfig => {
  if (selection === undefined) return workers
  const { gpu: _replaced, ...rest } = workers
  if (selection === 'all') return rest
  return { ...rest, gpu: selection === 'none' ? [] : selection }
}

/** A message if the layout names a card that this machine does not have. */
export const missingCard = (workers: WorkerConfig, gpus: readonly SystemGpu[]): string | undefined => {
  const wanted = (workers.gpu ?? []).flatMap((entry) => entry.gpus ?? [])
  const missing = wanted.find((name) => !gpus.some((gpu) => gpu.index === name || gpu.id === name))
  if (missing === undefined) return undefined
  const found = gpus.length === 0 ? 'no GPU was found' : `the GPUs are ${gpus.map(({ index }) => index).join(', ')}`
  return `the settings name GPU ${missing}, but ${found} on this machine. \`--gpus all\` offers every GPU that is found`
}

/** How many GPU workers an engine with this selection has. */
export const gpuWorkersOf = (selection: GpuSelection, gpus: readonly SystemGpu[]): number =>
  selection === 'all' ? gpus.length : selection === 'none' ? 0 : selection.length

/** The found GPUs and the offered workers, for the log of the engine and the banner of the server. */
export const offerInWords = (gpus: readonly SystemGpu[], workers: { gpu: number; cpu: number }): string => {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  const offered = [
    ...(workers.gpu > 0 ? [counted(workers.gpu, 'GPU worker')] : []),
    counted(workers.cpu, 'CPU worker'),
  ].join(' and ')
  return `${offered} (${gpus.length === 0 ? 'no GPU found' : summary(gpus)})`
}

const summary = (gpus: readonly SystemGpu[]): string =>
  [...Map.groupBy(gpus, ({ name, vram }) => `${name ?? 'GPU'}, ${gigabytes(vram ?? 0)}`)]
    .map(([words, cards]) => (cards.length === 1 ? words : `${cards.length} × ${words}`))
    .join('; ')

/** The unit of `inf.yml`. */
export const gigabytes = (bytes: number): string => `${Math.round((bytes / 1e9) * 10) / 10} GB`
