// Why a queued run waits: what its version needs, compared with the workers that its workspace may use. Pure.
import { gigabytes } from '@millrace/contract/gpu-selection'
import type { QueueReason } from '@millrace/contract/tasks'
import { fits, needsInWords, type ResourceNeeds, type WorkerResources } from './resources.ts'

/** Equal workers of connected engines that the run may use. */
export type OfferedWorkers = WorkerResources & {
  workers: number
  busy: number
  /** The largest GPU memory per card that other runs leave on an idle worker; null if none is idle. */
  gpu_room: number | null
}

const kinds = (offers: readonly OfferedWorkers[]): string => {
  const types = [...new Set(offers.map(({ gpu_type }) => gpu_type))].filter((type) => type !== '')
  return types.length === 0 ? '' : `, only ${types.sort().join(' and ')}`
}

const largest = (
  offers: readonly OfferedWorkers[],
  field: keyof WorkerResources & ('gpu_count' | 'gpu_vram' | 'ram'),
): number => Math.max(0, ...offers.map((offer) => offer[field]))

/** The requirement that no connected engine meets, from the first that is missing on all of them. */
export const unmetReason = (needs: ResourceNeeds, offers: readonly OfferedWorkers[]): QueueReason => {
  const { gpu_count, gpu_type, gpu_vram, ram } = needs
  const onGpu = offers.filter((offer) => offer.gpu_count > 0)
  const ofType = onGpu.filter((offer) => gpu_type === '' || offer.gpu_type === gpu_type)
  if (gpu_count > 0 && ofType.length === 0)
    return {
      code: 'no_gpu',
      message: `no connected engine has ${gpu_type === '' ? 'a GPU' : `a GPU of type ${gpu_type}`}${kinds(onGpu)}`,
    }
  if (gpu_count > largest(ofType, 'gpu_count'))
    return {
      code: 'gpu_count',
      message: `the app needs ${gpu_count} GPUs in one worker, and the largest worker has ${largest(ofType, 'gpu_count')}`,
    }
  const enough = ofType.filter((offer) => offer.gpu_count >= gpu_count)
  if (gpu_count > 0 && gpu_vram > largest(enough, 'gpu_vram'))
    return {
      code: 'gpu_memory',
      message: `the app needs a GPU with ${gigabytes(gpu_vram)}, and the largest has ${gigabytes(largest(enough, 'gpu_vram'))}`,
    }
  if (ram > largest(offers, 'ram') && offers.every((offer) => offer.ram > 0))
    return {
      code: 'memory',
      message: `the app needs ${gigabytes(ram)} of memory, and the largest engine has ${gigabytes(largest(offers, 'ram'))}`,
    }
  return { code: 'resources', message: `no connected engine has a worker with ${needsInWords(needs)}` }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `ahead`: runs that get a worker before this one. Null when a worker is idle, so the run starts soon. */
export const queueReasonOf = (
  needs: ResourceNeeds,
  offers: readonly OfferedWorkers[],
  ahead: number,
): QueueReason | null => {
  const able = offers.filter((offer) => fits(needs, offer))
  if (able.length === 0) return unmetReason(needs, offers)
  const workers = able.reduce((sum, offer) => sum + offer.workers, 0)
  const busy = able.reduce((sum, offer) => sum + offer.busy, 0)
  const position = ahead === 0 ? 'this run is next' : `${counted(ahead, 'run')} ahead of this one`
  if (busy >= workers) {
    const all =
      workers === 1
        ? 'the only worker that can run the app is busy'
        : `all ${workers} workers that can run the app are busy`
    return { code: 'busy', message: `${all}; ${position}` }
  }
  return needs.gpu_count === 0 ? null : roomReason(needs, able)
}

/** Idle workers share their GPUs with busy ones, which may leave too little memory. */
const roomReason = ({ gpu_vram }: ResourceNeeds, able: readonly OfferedWorkers[]): QueueReason | null => {
  const idle = able.flatMap((offer) => (offer.gpu_room === null ? [] : [{ ...offer, gpu_room: offer.gpu_room }]))
  if (idle.some((offer) => (gpu_vram || offer.gpu_vram) <= offer.gpu_room)) return null
  const [best] = idle.toSorted((one, other) => other.gpu_room - one.gpu_room)
  if (!best) return null
  const needed = gigabytes(gpu_vram || best.gpu_vram)
  const left = `other runs leave ${gigabytes(Math.max(0, best.gpu_room))} of ${gigabytes(best.gpu_vram)}`
  return { code: 'gpu_room', message: `the app needs ${needed} of GPU memory, and ${left}` }
}
