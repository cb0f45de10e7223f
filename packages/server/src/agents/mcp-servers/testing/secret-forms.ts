// The encodings in which a service may return a key, by name.
export const secretForms = {
  plain: (value: string) => value,
  base64: (value: string) => Buffer.from(value).toString('base64'),
  'base64 inside': (value: string) => Buffer.from(`x${value}y`).toString('base64'),
  base64url: (value: string) => Buffer.from(`xx${value}`).toString('base64url'),
  hex: (value: string) => Buffer.from(value).toString('hex'),
  'upper-case hex': (value: string) => Buffer.from(value).toString('hex').toUpperCase(),
  url: (value: string) => encodeURIComponent(value),
  'every byte percent-encoded': (value: string) =>
    [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  json: (value: string) => JSON.stringify({ seen: value }),
} as const

export type SecretForm = keyof typeof secretForms
export const formNames = Object.keys(secretForms) as SecretForm[]

export const inForm = (name: string, value: string): string => secretForms[name as SecretForm]?.(value) ?? ''
