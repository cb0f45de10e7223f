// Guarantees: all views of a catalog agree: the cheapest offer in stock is first, an offer out of stock cannot be
// quoted, and a day without changes keeps the prices of the day before.
import { describe, expect, it } from 'vitest'
import {
  type CloudOffer,
  completeConfiguration,
  engineTypes,
  historyPoints,
  matchOffers,
  offersFault,
  publicTypes,
  quoteOf,
} from './catalogue.ts'
import { offer, region } from './testing/given.ts'

const at = (cloud: string, one: ReturnType<typeof offer>): CloudOffer => ({
  ...one,
  cloud,
  cloud_logo_url: '',
  configuration: completeConfiguration(one.configuration),
})

const spot = { rental_type: 'spot' } as const
const gone = { available: false }

const offers = [
  at('north', offer('a100', [region('n1', 300), region('n2', 200, gone), region('n1', 90, spot)])),
  at('south', offer('a100-pcie', [region('s1', 250), region('s2', 260)])),
  at(
    'south',
    offer('h100', [region('s1', 900, gone), region('s2', 800, gone)], {
      configuration: { gpu_type: 'H100', num_gpus: 8 },
    }),
  ),
  at('south', offer('cpu', [region('s1', 5)], { configuration: { vcpus: 4, memory_in_gb: 16 } })),
]

describe('the list of machines for engines', () => {
  const rows = engineTypes(offers)

  it('has a row for each GPU, count and rental type; spot only if it is in stock', () => {
    expect(rows.map(({ id }) => id)).toEqual(['south.cpu', 'north.a100.spot', 'south.a100-pcie', 'south.h100'])
  })

  it('shows the offer of its first option and lists every provider in stock, cheapest first', () => {
    const row = rows.find(({ id }) => id === 'south.a100-pcie')
    expect(row).toMatchObject({ cloud: 'south', region: 's1', hourly_price: 250, rental_type: 'on_demand' })
    expect(row?.options.map(({ cloud, hourly_price }) => [cloud, hourly_price])).toEqual([
      ['south', 250],
      ['north', 300],
    ])
    expect(row?.options[0]?.regions).toEqual([
      { region: 's1', hourly_price: 250 },
      { region: 's2', hourly_price: 260 },
    ])
    expect(row?.options[1]?.regions).toEqual([{ region: 'n1', hourly_price: 300 }])
  })

  it('shows the cheapest offer without options if none is in stock', () => {
    expect(rows.find(({ id }) => id === 'south.h100')).toMatchObject({ region: 's2', hourly_price: 800, options: [] })
  })
})

describe('the public list', () => {
  const ids = (query: object) => publicTypes(offers, query).map(({ id }) => id)

  it.each([
    ['everything with a GPU', {}, ['north.a100', 'south.a100-pcie', 'south.h100']],
    ['by GPU', { gpu_type: 'h100' }, ['south.h100']],
    ['by count', { num_gpus: 8 }, ['south.h100']],
    ['by cloud', { cloud: 'north' }, ['north.a100']],
    ['by region', { region: 's1' }, ['south.a100-pcie', 'south.h100']],
    ['by catalog name', { catalog_instance_type: 'a100' }, ['north.a100']],
    ['in stock', { available: true }, ['north.a100', 'south.a100-pcie']],
    ['in stock as spot', { available: true, rental_type: 'spot' as const }, ['north.a100']],
    ['dearest first', { sort: '-price' }, ['south.h100', 'north.a100', 'south.a100-pcie']],
  ])('%s', (_what, query, expected) => expect(ids(query)).toEqual(expected))

  it('shows the cheapest region in stock, and only regions of the requested rental type', () => {
    const [row] = publicTypes(offers, { cloud: 'north', rental_type: 'spot' })
    expect(row).toMatchObject({ region: 'n1', hourly_price: 300 })
    expect(row?.availability).toEqual([region('n1', 90, spot)])
  })
})

describe('offers', () => {
  it('are quoted while they are in stock, by region and rental type', () => {
    const [north] = offers
    if (!north) throw new Error('no offer')
    expect(quoteOf(north, 'n1', 'on_demand')).toBe(300)
    expect(quoteOf(north, 'n1', 'spot')).toBe(90)
    expect(quoteOf(north, 'n2', 'on_demand')).toBeUndefined()
    expect(quoteOf(north, 'n2', 'spot')).toBeUndefined()
  })

  it('match if they meet the requirements; the others have a reason', () => {
    const needs = { gpu_count: 1, gpu_type: 'nvidia', gpu_vram: 80_000_000_000, ram: 0 }
    expect(matchOffers(offers, needs)).toEqual({
      prices: [250, 300],
      reasons: ['GPUs of another vendor', 'too few GPUs'],
    })
    expect(matchOffers(offers, { ...needs, gpu_vram: 80_000_000_001 }).prices).toEqual([])
    expect(matchOffers(offers, { gpu_count: 0, gpu_type: '', gpu_vram: 0, ram: 16_000_000_001 }).prices).toEqual([
      250, 300,
    ])
  })

  it.each([
    ['a name twice', [offer('a', []), offer('a', [])]],
    ['a region twice', [offer('a', [region('r', 1), region('r', 2)])]],
  ])('%s is refused', (_what, list) => expect(offersFault(list)).not.toBeNull())

  it('may list a region once for each rental type', () => {
    expect(offersFault([offer('a', [region('r', 1), region('r', 2, spot)])])).toBeNull()
  })
})

describe('the history', () => {
  const state = (price: number) => ({ on_demand: price, providers: 1, regions: 1 })

  it('repeats the prices of a day until they change, and omits days without an offer', () => {
    const changes = [
      { day: '2026-03-01', point: state(5) },
      { day: '2026-03-04', point: state(6) },
      { day: '2026-03-05', point: null },
    ]
    expect(historyPoints(changes, new Date('2026-03-06T01:00:00Z'), 4)).toEqual([
      { day: '2026-03-03', ...state(5) },
      { day: '2026-03-04', ...state(6) },
    ])
  })
})
