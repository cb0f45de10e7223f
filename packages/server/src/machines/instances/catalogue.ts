// The offers of clouds in all their views: the public list, the machines for engines, quotes, matches and the price
// history. Pure: takes rows as arguments.
import type {
  EngineOption,
  EngineType,
  InstanceConfiguration,
  InstanceType,
  InstanceTypeQuery,
  Offer,
  OfferedRegion,
  PricePoint,
  RentalType,
} from '@millrace/contract/instances'

export type CloudOffer = Offer & {
  readonly cloud: string
  readonly cloud_logo_url: string
  readonly configuration: InstanceConfiguration
}

export const completeConfiguration = (given: Partial<InstanceConfiguration>): InstanceConfiguration => ({
  gpu_type: given.gpu_type ?? '',
  gpu_manufacturer: given.gpu_manufacturer ?? '',
  interconnect: given.interconnect ?? '',
  num_gpus: given.num_gpus ?? 0,
  nvlink: given.nvlink ?? false,
  vram_per_gpu_in_gb: given.vram_per_gpu_in_gb ?? 0,
  memory_in_gb: given.memory_in_gb ?? 0,
  vcpus: given.vcpus ?? 0,
  storage_in_gb: given.storage_in_gb ?? 0,
  os_options: given.os_options ?? [],
})

/** Validates rules that the schema cannot express; null if all hold. */
export const offersFault = (offers: readonly Offer[]): string | null => {
  const names = new Set<string>()
  for (const { catalog_instance_type: name, availability } of offers) {
    if (names.has(name)) return `types: ${name} is listed twice`
    names.add(name)
    const places = new Set<string>()
    for (const { region, rental_type } of availability) {
      const place = JSON.stringify([region, rental_type])
      if (places.has(place)) return `types: ${name} lists ${region} twice for ${rental_type}`
      places.add(place)
    }
  }
  return null
}

const byPrice = (a: OfferedRegion, b: OfferedRegion): number =>
  a.hourly_price - b.hourly_price || (a.region < b.region ? -1 : 1)

/** The cheapest in stock, or else the cheapest. */
const bestOf = (regions: readonly OfferedRegion[]): OfferedRegion | undefined => {
  const sorted = regions.toSorted(byPrice)
  return sorted.find(({ available }) => available) ?? sorted[0]
}

const ofRental = (offer: CloudOffer, rental: RentalType): OfferedRegion[] =>
  offer.availability.filter(({ rental_type }) => rental_type === rental)

const typeOf = (offer: CloudOffer, shown: OfferedRegion | undefined): InstanceType => ({
  id: `${offer.cloud}.${offer.catalog_instance_type}`,
  cloud: offer.cloud,
  cloud_logo_url: offer.cloud_logo_url,
  region: shown?.region ?? '',
  catalog_instance_type: offer.catalog_instance_type,
  cloud_instance_type: offer.cloud_instance_type,
  deployment_type: offer.deployment_type,
  hourly_price: shown?.hourly_price ?? 0,
  configuration: offer.configuration,
  availability: offer.availability,
  ...(offer.boot_time ? { boot_time: offer.boot_time } : {}),
})

/** An offer as in the catalog: by its cheapest on-demand region. */
export const instanceTypeDto = (offer: CloudOffer): InstanceType =>
  typeOf(offer, bestOf(ofRental(offer, 'on_demand')) ?? bestOf(offer.availability))

const sameText = (filter: string | undefined, value: string): boolean =>
  filter === undefined || filter === '' || filter.toLowerCase() === value.toLowerCase()

const matchesQuery = ({ cloud, catalog_instance_type: name, configuration }: CloudOffer, query: InstanceTypeQuery) =>
  sameText(query.gpu_type, configuration.gpu_type) &&
  (query.num_gpus === undefined || query.num_gpus === configuration.num_gpus) &&
  sameText(query.cloud, cloud) &&
  sameText(query.catalog_instance_type, name)

/** The public list: offers with a GPU, filtered by the query. */
export const publicTypes = (offers: readonly CloudOffer[], query: InstanceTypeQuery): InstanceType[] => {
  const { region, rental_type: rental, available } = query
  const rows = offers
    .filter((offer) => offer.configuration.num_gpus > 0 && matchesQuery(offer, query))
    .flatMap((offer) => {
      const inRegion = region ? offer.availability.filter((one) => sameText(region, one.region)) : offer.availability
      const kept = rental ? inRegion.filter(({ rental_type }) => rental_type === rental) : inRegion
      if (region && inRegion.length === 0) return []
      if (available === true && !kept.some((one) => one.available)) return []
      const shown = instanceTypeDto(region ? { ...offer, availability: inRegion } : offer)
      return [{ ...shown, availability: kept }]
    })
  return sorted(rows, query.sort)
}

const sorted = (rows: InstanceType[], sort: string | undefined): InstanceType[] => {
  const up = (a: InstanceType, b: InstanceType) => a.hourly_price - b.hourly_price || (a.id < b.id ? -1 : 1)
  if (sort === '-price' || sort === '-hourly_price') return rows.sort((a, b) => up(b, a))
  return sort === 'price' || sort === 'hourly_price' ? rows.sort(up) : rows
}

/** The current price of this machine; undefined if it is not in stock. */
export const quoteOf = (offer: CloudOffer, region: string, rental: RentalType): number | undefined =>
  offer.availability.find((one) => one.available && one.region === region && one.rental_type === rental)?.hourly_price

/** Groups machines that are equivalent for an engine. Without a GPU, each type of the catalog is its own group. */
const kindOf = ({ configuration, catalog_instance_type }: CloudOffer): string =>
  JSON.stringify(
    configuration.num_gpus === 0 ? [catalog_instance_type] : [configuration.gpu_type, configuration.num_gpus],
  )

const optionOf = (offer: CloudOffer, rental: RentalType): EngineOption | null => {
  const regions = ofRental(offer, rental)
    .filter(({ available }) => available)
    .sort(byPrice)
  const [cheapest] = regions
  if (!cheapest) return null
  return {
    cloud: offer.cloud,
    cloud_logo_url: offer.cloud_logo_url,
    catalog_instance_type: offer.catalog_instance_type,
    cloud_instance_type: offer.cloud_instance_type,
    hourly_price: cheapest.hourly_price,
    configuration: offer.configuration,
    regions: regions.map(({ region, hourly_price }) => ({ region, hourly_price })),
  }
}

type Choice = { offer: CloudOffer; option: EngineOption }

const cheaper = (a: Choice, b: Choice): number =>
  a.option.hourly_price - b.option.hourly_price || (a.option.cloud < b.option.cloud ? -1 : 1)

/** Every provider that has it in stock with its cheapest type, cheapest provider first. */
const choicesOf = (offers: readonly CloudOffer[], rental: RentalType): Choice[] => {
  const inStock = offers
    .flatMap((offer) => {
      const option = optionOf(offer, rental)
      return option ? [{ offer, option }] : []
    })
    .sort(cheaper)
  return inStock.filter(({ option }, index) => inStock.findIndex((one) => one.option.cloud === option.cloud) === index)
}

const engineRow = (offers: readonly CloudOffer[], rental: RentalType): EngineType | null => {
  const choices = choicesOf(offers, rental)
  const [first] = choices
  const listed = offers
    .flatMap((offer) => ofRental(offer, rental).map((region) => ({ offer, region })))
    .sort((a, b) => byPrice(a.region, b.region))
  const offer = first?.offer ?? (rental === 'on_demand' ? listed[0]?.offer : undefined)
  if (!offer) return null
  const regions = ofRental(offer, rental)
  const row = typeOf({ ...offer, availability: regions }, bestOf(regions))
  return {
    ...row,
    id: rental === 'spot' ? `${row.id}.spot` : row.id,
    rental_type: rental,
    options: choices.map(({ option }) => option),
  }
}

/** The machines for engines, cheapest first. */
export const engineTypes = (offers: readonly CloudOffer[]): EngineType[] =>
  [...Map.groupBy(offers, kindOf).values()]
    .flatMap((same) => [engineRow(same, 'on_demand'), engineRow(same, 'spot')])
    .filter((row) => row !== null)
    .sort((a, b) => a.hourly_price - b.hourly_price || (a.id < b.id ? -1 : 1))

const lowest = (regions: readonly OfferedRegion[], rental: RentalType, inStock: boolean): number | undefined => {
  const prices = regions
    .filter(({ rental_type, available }) => rental_type === rental && (available || !inStock))
    .map(({ hourly_price }) => hourly_price)
  return prices.length === 0 ? undefined : Math.min(...prices)
}

export type GpuKind = { readonly gpu_type: string; readonly num_gpus: number }
export type DayState = GpuKind & { readonly point: Omit<PricePoint, 'day'> }

/** The current prices of each kind of GPU machine, for the history. */
export const priceStates = (offers: readonly CloudOffer[]): DayState[] => {
  const withGpu = offers.filter(({ configuration, availability }) => configuration.num_gpus > 0 && availability.length)
  return [...Map.groupBy(withGpu, kindOf).values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const regions = same.flatMap(({ availability }) => availability)
    const prices = {
      on_demand: lowest(regions, 'on_demand', false),
      spot: lowest(regions, 'spot', false),
      on_demand_in_stock: lowest(regions, 'on_demand', true),
      spot_in_stock: lowest(regions, 'spot', true),
    }
    const point = {
      ...Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)),
      providers: new Set(same.map(({ cloud }) => cloud)).size,
      regions: new Set(regions.map(({ region }) => region)).size,
    }
    const { gpu_type, num_gpus } = first.configuration
    return [{ gpu_type, num_gpus, point }]
  })
}

export type MachineNeeds = { gpu_count: number; gpu_type: string; gpu_vram: number; ram: number }

const gigabyte = 1_000_000_000

/** The reason why a machine of this type does not match; null if it does. */
export const mismatchReason = (needs: MachineNeeds, { configuration }: CloudOffer): string | null => {
  if (needs.gpu_count > configuration.num_gpus) return 'too few GPUs'
  if (needs.gpu_count > 0 && !sameText(needs.gpu_type, configuration.gpu_manufacturer)) return 'GPUs of another vendor'
  if (needs.gpu_count > 0 && needs.gpu_vram > configuration.vram_per_gpu_in_gb * gigabyte)
    return 'too little memory per GPU'
  return needs.ram > configuration.memory_in_gb * gigabyte ? 'too little memory' : null
}

export type CloudMatch = {
  /** Cents per hour of the cheapest machine in stock of each matching type, cheapest first. */
  readonly prices: readonly number[]
  /** The reasons against the other types, most frequent first. */
  readonly reasons: readonly string[]
}

export const matchOffers = (offers: readonly CloudOffer[], needs: MachineNeeds): CloudMatch => {
  const prices: number[] = []
  const counts = new Map<string, number>()
  for (const offer of offers) {
    const price = optionOf(offer, 'on_demand')?.hourly_price
    const reason = mismatchReason(needs, offer) ?? (price === undefined ? 'not in stock' : null)
    if (reason === null && price !== undefined) prices.push(price)
    else if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason]) => reason)
  return { prices: prices.sort((a, b) => a - b), reasons }
}

/** Days without changes repeat the prices of the day before. Oldest first, including today. */
export const historyPoints = (
  changes: readonly { readonly day: string; readonly point: unknown }[],
  today: Date,
  days: number,
): PricePoint[] => {
  const dayMs = 24 * 60 * 60 * 1000
  const points: PricePoint[] = []
  let next = 0
  let state: unknown = null
  for (let back = days - 1; back >= 0; back -= 1) {
    const day = new Date(today.getTime() - back * dayMs).toISOString().slice(0, 10)
    for (let change = changes[next]; change && change.day <= day; change = changes[next]) {
      state = change.point
      next += 1
    }
    if (state !== null) points.push({ day, ...(state as Omit<PricePoint, 'day'>) })
  }
  return points
}
