// A task's secrets: sealed to this engine's key, or plain if it registered none.

import { open, type SealingKeys } from '@millrace/contract/sealed-box'
import { tryParseJson } from '../bounded-json.ts'
import { TaskFailure } from '../failures.ts'

export const openSecrets = (
  sealed: string | null | undefined,
  keys: SealingKeys | undefined,
  taskId: string,
): Record<string, string> => {
  if (!sealed) return {}
  const text = keys ? openSealed(sealed, keys, taskId) : Buffer.from(sealed, 'base64').toString('utf8')
  const parsed = parseObject(text)
  if (!parsed) throw new TaskFailure('the secrets of this task are not a JSON object')
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, String(value)]))
}

const openSealed = (sealed: string, keys: SealingKeys, taskId: string): string => {
  try {
    return open(sealed, keys, `task:${taskId}`)
  } catch {
    throw new TaskFailure('the secrets of this task cannot be decrypted: they are not sealed to this engine')
  }
}

const parseObject = (text: string): object | undefined => {
  const value = tryParseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}
