// The resources that a version requires of a worker, as plain columns. Pure.

export type ResourceNeeds = { gpu_count: number; gpu_type: string; gpu_vram: number; ram: number }

type Resources = { gpu?: { count?: number; vram?: number; type?: string }; ram?: number } | null | undefined

const wholeNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0

export const requirementsOf = (resources: unknown): ResourceNeeds => {
  const { gpu, ram } = (resources ?? {}) as NonNullable<Resources>
  const type = gpu?.type ?? ''
  const wantsGpu = type !== 'none' && wholeNumber(gpu?.count) > 0
  return {
    gpu_count: wantsGpu ? wholeNumber(gpu?.count) : 0,
    gpu_type: wantsGpu && type !== 'any' ? type : '',
    gpu_vram: wantsGpu ? wholeNumber(gpu?.vram) : 0,
    ram: wholeNumber(ram),
  }
}

const gibibytes = (bytes: number): string => `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB`

/** For the notice to a caller whose run is queued. */
export const needsInWords = ({ gpu_count, gpu_type, gpu_vram, ram }: ResourceNeeds): string => {
  const gpus = `${gpu_count} ${gpu_type} GPU${gpu_count === 1 ? '' : 's'}`.replace('  ', ' ')
  return [
    ...(gpu_count > 0 ? [gpu_vram > 0 ? `${gpus} of ${gibibytes(gpu_vram)}` : gpus] : []),
    ...(ram > 0 ? [`${gibibytes(ram)} of memory`] : []),
  ].join(' and ')
}

export type WorkerResources = { gpu_count: number; gpu_type: string; gpu_vram: number; ram: number }

/** Whether a worker has what a task requires. A worker that reports no memory size counts as having enough. */
export const fits = (needs: ResourceNeeds, offer: WorkerResources): boolean => {
  if (needs.gpu_count > offer.gpu_count) return false
  if (needs.gpu_type !== '' && needs.gpu_type !== offer.gpu_type) return false
  if (needs.gpu_vram > offer.gpu_vram && needs.gpu_count > 0) return false
  return offer.ram === 0 || needs.ram <= offer.ram
}
