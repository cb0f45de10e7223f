// Dotted paths into JSON: `a.b[0].c`. A missing step gives undefined.
import { isRecord, own } from '@millrace/contract/json'

const step = /[^.[\]]+|\[(\d+)\]/g

export const pathSteps = (path: string): string[] => Array.from(path.matchAll(step), (found) => found[1] ?? found[0])

export const readPath = (value: unknown, path: string): unknown => {
  let current = value
  for (const key of pathSteps(path)) {
    if (Array.isArray(current)) current = /^\d+$/.test(key) ? current[Number(key)] : undefined
    else if (isRecord(current)) current = own(current, key)
    else return undefined
  }
  return current
}
