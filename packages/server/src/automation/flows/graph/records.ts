// Operations on JSON records with user-defined keys that never touch a prototype.
import { isRecord } from '@millrace/contract/json'

export const withKey = <T>(record: Record<string, T>, key: string, value: T): Record<string, T> => ({
  ...record,
  [key]: value,
})

export const withoutKey = <T>(record: Record<string, T>, key: string): Record<string, T> => {
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _dropped, ...rest } = record
  return rest
}

/** Preserves the position of the key, so that renaming back restores the order. */
export const renameKey = <T>(record: Record<string, T>, from: string, to: string): Record<string, T> =>
  Object.hasOwn(record, from)
    ? Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]))
    : record

/** `__proto__` as a key could set a prototype later; no graph needs it. */
export const isSafeKey = (key: string): boolean => key !== '__proto__'

export const deeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => deeperThan(item, levels - 1))
}

export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}
