// Clouds and offers for tests.
import type { Offer, OfferedRegion } from '@millrace/contract/instances'
import type { World } from '../../../testing/world.ts'

export const region = (name: string, hourly_price: number, rest: Partial<OfferedRegion> = {}): OfferedRegion => ({
  region: name,
  rental_type: 'on_demand',
  available: true,
  hourly_price,
  ...rest,
})

export const offer = (name: string, availability: OfferedRegion[], rest: Partial<Offer> = {}): Offer => ({
  catalog_instance_type: name,
  cloud_instance_type: `sku-${name}`,
  deployment_type: 'vm',
  configuration: {
    gpu_type: 'A100',
    gpu_manufacturer: 'nvidia',
    num_gpus: 1,
    vram_per_gpu_in_gb: 80,
    memory_in_gb: 120,
    vcpus: 12,
  },
  availability,
  ...rest,
})

const put = async (world: World, route: string, body: object) => {
  const answer = await world.call('platform', route, { body })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Adds a cloud that offers these machines. */
export const givenCloud = async (
  world: World,
  key: string,
  offers: Offer[],
  cloud: object = { kind: 'local', name: key },
): Promise<void> => {
  await put(world, `PUT /clouds/${key}`, cloud)
  await put(world, `PUT /clouds/${key}/types`, { types: offers })
}
