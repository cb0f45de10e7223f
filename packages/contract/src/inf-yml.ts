// The app manifest `inf.yml` that developers write, and the conversion of its sizes to bytes.

import Type, { type Static } from 'typebox'
import { appCategories, gpuTypes, kernels } from './apps.ts'

// Descriptions complete the sentence "expected …" in errors. Lengths are the limits of a deploy, so that they are checked
// before packages are installed and files are uploaded.
const sizeText = '^\\s*\\d+(\\.\\d+)?\\s*([kKmMgGtT]([iI]?[bB])?|[bB])?\\s*$'
const Size = Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: sizeText })], {
  description: 'a number of gigabytes, or a text such as 512mb',
})

const Secret = Type.Object({
  key: Type.String({
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
    description: 'up to 128 letters, digits and underscores, not starting with a digit',
  }),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  optional: Type.Optional(Type.Boolean()),
})

const Connection = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 128 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  website: Type.Optional(Type.String({ maxLength: 2048 })),
  key: Type.Optional(Type.String({ maxLength: 128 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  optional: Type.Optional(Type.Boolean()),
  secrets: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 50 })),
  scopes: Type.Optional(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 100 })),
})

const Resources = Type.Object({
  gpu: Type.Optional(
    Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 0 })),
      vram: Type.Optional(Size),
      type: Type.Optional(
        Type.Union([Type.Literal(''), ...gpuTypes.map((type) => Type.Literal(type))], {
          description: `one of ${gpuTypes.join(', ')}`,
        }),
      ),
    }),
  ),
  ram: Type.Optional(Size),
})

const EnvMap = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 32_768 }), Type.Number(), Type.Boolean()], {
    description: 'a text, a number or true or false',
  }),
)

const Variant = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 64 })),
  order: Type.Optional(Type.Integer()),
  resources: Type.Optional(Resources),
  env: Type.Optional(EnvMap),
  python: Type.Optional(Type.String({ maxLength: 32 })),
})

// `3.11` means `python-3.11`, and an empty text the default.
const kernelNames = kernels.map((name) => name.replace(/^python-/, '(python-)?').replace('.', '[.]'))
const kernelPattern = `^\\s*(${kernelNames.join('|')})?\\s*$`

/** Whether a deploy accepts the text as a kernel. */
export const isKernel = (text: string | undefined): boolean => new RegExp(kernelPattern).test(text ?? '')

export const InfYml = Type.Object({
  namespace: Type.Optional(Type.String()),
  name: Type.String({
    pattern: '^[A-Za-z0-9._-]*[A-Za-z0-9][A-Za-z0-9._-]*$',
    maxLength: 64,
    description: 'up to 64 letters, digits, dots, dashes and underscores',
  }),
  title: Type.Optional(Type.String({ maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  category: Type.Optional(Type.String()),
  images: Type.Optional(Type.Record(Type.String(), Type.String())),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  kernel: Type.Optional(Type.String({ pattern: kernelPattern, description: `one of ${kernels.join(', ')}` })),
  default_function: Type.Optional(Type.String({ maxLength: 64 })),
  resources: Type.Optional(Resources),
  env: Type.Optional(EnvMap),
  secrets: Type.Optional(Type.Array(Secret, { maxItems: 100 })),
  integrations: Type.Optional(Type.Array(Connection, { maxItems: 100 })),
  credentials: Type.Optional(Type.Array(Connection, { maxItems: 100 })),
  functions: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String({ maxLength: 2000 })) })),
  ),
  variants: Type.Optional(Type.Record(Type.String(), Variant)),
})
export type InfYml = Static<typeof InfYml>

export type Settled = { manifest: InfYml; notices: string[] }

const maxDescription = 200

/** Normalizes a published manifest: changes are reported as notices, nothing is rejected. */
export const settleManifest = (written: InfYml): Settled => {
  const notices: string[] = []
  const manifest = { ...written }
  const name = written.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (name !== written.name) notices.push(`name: ${written.name} becomes ${name}, because names are part of URLs`)
  const { description = '', category } = written
  const characters = [...description]
  if (characters.length > maxDescription) {
    notices.push(
      `description: shortened from ${characters.length} to ${maxDescription} characters; the whole text is stored in its metadata`,
    )
    manifest.description = `${characters
      .slice(0, maxDescription - 3)
      .join('')
      .trimEnd()}...`
    manifest.metadata = { description, ...manifest.metadata }
  }
  if (category !== undefined && !appCategories.some((known) => known === category)) {
    notices.push(
      `category: ${category} is unknown; the app is listed under other, and the value is stored in its metadata`,
    )
    manifest.category = 'other'
    manifest.metadata = { category, ...manifest.metadata }
  }
  return { manifest: { ...manifest, name }, notices }
}

const units: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  t: 1e12,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

// Numbers below 1000 are gigabytes, up to 1e9 megabytes, above that bytes; a text may contain a unit.
export const sizeToBytes = (size: number | string): number | undefined => {
  if (typeof size === 'number') return bareNumberToBytes(size)
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(size.trim())
  if (!match) return undefined
  const amount = Number(match[1])
  const unit = (match[2] ?? '').toLowerCase()
  if (unit === '') return bareNumberToBytes(amount)
  const factor = units[unit]
  return factor === undefined ? undefined : Math.round(amount * factor)
}

const bareNumberToBytes = (amount: number): number => {
  if (amount < 1000) return Math.round(amount * 1e9)
  return Math.round(amount < 1e9 ? amount * 1e6 : amount)
}

export type Kernel = { language: 'python' | 'node'; version: string }

// An empty kernel means `python-3.11`, and a bare `3.11` means `python-3.11`.
export const parseKernel = (kernel: string | undefined): Kernel | undefined => {
  const text = kernel?.trim() || 'python-3.11'
  const match = /^(?:(python|node)-)?(\d+(?:\.\d+)?)$/.exec(text)
  if (!match) return undefined
  return { language: match[1] === 'node' ? 'node' : 'python', version: match[2] ?? '' }
}
