// Reads the text of one setting. The thrown message continues the name of the setting.
import { isIP } from 'node:net'
import { selectionPattern } from '@millrace/contract/gpu-selection'

export type SettingReader<T> = (text: string) => T

export const text: SettingReader<string> = (value) => value

export const integer =
  (min: number, max: number): SettingReader<number> =>
  (value) => {
    const number = Number(value)
    if (!/^-?\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }

export const flag: SettingReader<boolean> = (value) => {
  if (/^(1|true|yes|on)$/i.test(value)) return true
  if (/^(0|false|no|off)$/i.test(value)) return false
  throw new Error('must be true or false')
}

export const oneOf =
  <const T extends readonly string[]>(...choices: T): SettingReader<T[number]> =>
  (value) => {
    if (!choices.includes(value)) throw new Error(`must be one of ${choices.join(', ')}`)
    return value
  }

export const url =
  (...protocols: string[]): SettingReader<string> =>
  (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Error(`must be a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    return value.replace(/\/+$/, '')
  }

/** Without `URL`, which rejects the empty host of a socket connection. */
export const databaseUrl: SettingReader<string> = (value) => {
  if (!/^postgres(ql)?:\/\/\S+$/.test(value)) throw new Error('must be a URL starting with postgres://')
  return value
}

export const gpuSelection: SettingReader<string> = (value) => {
  if (!new RegExp(selectionPattern).test(value)) throw new Error('must be all, none or GPUs such as 0,1 or 0+1')
  return value
}

export const list: SettingReader<string[]> = (value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const domains: SettingReader<string[]> = (value) => {
  const items = list(value).map((item) => item.toLowerCase().replace(/^@/, ''))
  const bad = items.find((item) => !/^[^\s@/]+\.[^\s@/]+$/.test(item))
  if (bad !== undefined) throw new Error(`"${bad}" is no mail domain`)
  return items
}

export const networks: SettingReader<string[]> = (value) => {
  const items = list(value)
  const bad = items.find((item) => isIP(item.split('/')[0] ?? '') === 0)
  if (bad !== undefined) throw new Error(`"${bad}" is neither an address nor a network`)
  return items
}

export const masterKey: SettingReader<string> = (value) => {
  if (Buffer.from(value, 'base64').length !== 32) throw new Error('must be 32 bytes in base64')
  return value
}
