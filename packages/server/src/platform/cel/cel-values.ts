// Converts between JSON and CEL. Integral numbers within 2^53 become CEL integers, so that both `input.n + 1` and, with
// the mixed operators of cel-env.ts, `input.n + 1.0` work.
import {
  type CelInput,
  type CelMap,
  type CelValue,
  celList,
  celMap,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
} from '@bufbuild/cel'
import { isRecord } from '@millrace/contract/json'
import { celLimits } from './cel-meter.ts'

type Bound = Exclude<CelInput, undefined>

export const toCelValue = (value: unknown, depth = 0): Bound => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value === null || value === undefined) return null
  if (depth >= celLimits.depth) throw new Error(`the input is nested more than ${celLimits.depth} levels`)
  if (Array.isArray(value)) return celList(value.map((item) => toCelValue(item, depth + 1)))
  if (!isRecord(value)) throw new Error('the input is not JSON')
  return mapOf(Object.entries(value).map(([key, item]) => [key, toCelValue(item, depth + 1)]))
}

/** The library's `has` treats a key with null as missing; in JSON, null is a value. */
const mapOf = (entries: [string, Bound][]): CelMap => {
  const held = new Map<string, Bound>(entries)
  const map = celMap(held)
  map.has = (key) => map.get(key) !== undefined
  return map
}

export type TextOf = (value: CelValue) => string

/** Follows the JSON mapping of CEL: integers beyond 2^53 and special doubles become text, bytes become base64. */
export const fromCelValue = (value: CelValue, textOf: TextOf): unknown => {
  let left: number = celLimits.resultBytes
  const spend = (bytes: number): void => {
    left -= bytes
    if (left < 0) throw new Error('the result is too large')
  }
  const integer = (held: bigint): number | string => {
    const number = Number(held)
    return Number.isSafeInteger(number) ? number : String(held)
  }
  const text = (held: string): string => {
    spend(held.length)
    if (held.includes('\0') || !held.isWellFormed())
      throw new Error('the result contains NUL or half of a surrogate pair, which cannot be stored')
    return held
  }
  const convert = (item: CelValue, depth: number): unknown => {
    spend(8)
    if (depth > celLimits.depth) throw new Error(`the result is nested more than ${celLimits.depth} levels`)
    switch (typeof item) {
      case 'string':
        return text(item)
      case 'boolean':
        return item
      case 'bigint':
        return integer(item)
      case 'number':
        return Number.isFinite(item) ? item : String(item)
    }
    if (item === null) return null
    if (isCelUint(item)) return integer(item.value)
    if (isCelList(item)) return Array.from(item, (element) => convert(element, depth + 1))
    if (isCelMap(item)) {
      return Object.fromEntries(
        Array.from(item, ([key, held]) => {
          const name = text(isCelUint(key) ? String(key.value) : String(key))
          return [name, convert(held, depth + 1)]
        }),
      )
    }
    if (item instanceof Uint8Array) {
      spend(item.length * 2)
      return Buffer.from(item).toString('base64')
    }
    if (isCelType(item)) throw new Error('the result is a type, which JSON cannot represent')
    return textOf(item)
  }
  return convert(value, 0)
}
