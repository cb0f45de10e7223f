// Guarantees: exactly five countries and four Ukrainian subdivisions are blocked, in every notation of a proxy.
import { describe, expect, it } from 'vitest'
import { type Region, regionFromHeaders, regionVerdict } from './region.ts'

describe('the verdict', () => {
  it.each<[Region, string | false]>([
    [{ country: 'CU' }, 'CU'],
    [{ country: 'IR' }, 'IR'],
    [{ country: 'KP' }, 'KP'],
    [{ country: 'RU' }, 'RU'],
    [{ country: 'SY' }, 'SY'],
    [{ country: 'RU', subdivision: 'RU-MOW' }, 'RU'],
    [{ country: 'UA', subdivision: 'UA-43' }, 'UA-43'],
    [{ country: 'UA', subdivision: 'UA-40' }, 'UA-40'],
    [{ country: 'UA', subdivision: 'UA-14' }, 'UA-14'],
    [{ country: 'UA', subdivision: 'UA-09' }, 'UA-09'],
    [{ country: 'UA' }, false],
    [{ country: 'UA', subdivision: 'UA-30' }, false],
    [{ country: 'FR', subdivision: 'FR-14' }, false],
    [{ country: 'KR' }, false],
    [{ country: 'BY' }, false],
    [{}, false],
  ])('%j', (region, expected) => {
    const verdict = regionVerdict(region)
    expect(verdict.blocked && verdict.region).toBe(expected)
  })
})

describe('the headers of a trusted proxy', () => {
  it.each<[string | undefined, string | undefined, Region]>([
    ['RU', undefined, { country: 'RU' }],
    [' ru ', undefined, { country: 'RU' }],
    ['UA', 'UA-43', { country: 'UA', subdivision: 'UA-43' }],
    ['UA', '43', { country: 'UA', subdivision: 'UA-43' }],
    ['ua', 'ua-09', { country: 'UA', subdivision: 'UA-09' }],
    [undefined, 'UA-14', { country: 'UA', subdivision: 'UA-14' }],
    ['XX', 'UA-14', { country: 'UA', subdivision: 'UA-14' }],
    [undefined, '14', {}],
    ['FR', 'UA-14', { country: 'FR' }],
    ['XX', undefined, {}],
    ['T1', undefined, {}],
    ['', '', {}],
    ['Russia', undefined, {}],
    ['UA', 'Crimea', { country: 'UA' }],
    [undefined, undefined, {}],
  ])('%s, %s', (country, subdivision, expected) => {
    expect(regionFromHeaders(country, subdivision)).toEqual(expected)
  })
})
