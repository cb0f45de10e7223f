// The syntax of references: `[type/]namespace/name[@version][:function]`. A name without a namespace is in the caller's
// own.

export const refTypes = ['app', 'agent', 'knowledge', 'skill'] as const
export type RefType = (typeof refTypes)[number]

export type Ref = {
  type: RefType | null
  /** Null: the caller's own namespace. */
  namespace: string | null
  name: string
  /** Id or short id of a version; null for the active version. */
  version: string | null
  function: string | null
}

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
const functionPattern = /^[A-Za-z][A-Za-z0-9_-]*$/
const versionPattern = /^[A-Za-z0-9_.-]+$/

export const slugMaxLength = 64

export const isSlug = (text: string): boolean => text.length <= slugMaxLength && slugPattern.test(text)

export const isFunctionName = (text: string): boolean => text.length <= 64 && functionPattern.test(text)

const unused = /[^a-z0-9]+/g

/** Derives a slug from a text: letters lose their accents, other characters become hyphens. Empty if none is usable. */
export const slugOf = (text: string, maxLength = slugMaxLength): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(unused, '-')
    .replace(/^-/, '')
    .slice(0, maxLength)
    .replace(/-$/, '')

const isRefType = (text: string): text is RefType => refTypes.some((type) => type === text)

/** Null if the text is not a ref. */
export const parseRef = (text: string): Ref | null => {
  const at = text.lastIndexOf('@')
  const colon = text.lastIndexOf(':')
  const hasFunction = colon > at
  const address = text.slice(0, at >= 0 ? at : hasFunction ? colon : undefined)
  const version = at >= 0 ? text.slice(at + 1, hasFunction ? colon : undefined) : null
  const functionName = hasFunction ? text.slice(colon + 1) : null
  if (version !== null && !versionPattern.test(version)) return null
  if (functionName !== null && !isFunctionName(functionName)) return null

  const parts = address.split('/')
  const name = parts.at(-1) ?? ''
  const namespace = parts.length > 1 ? (parts.at(-2) ?? '') : null
  const type = parts.length > 2 ? (parts[0] ?? '') : null
  if (parts.length > 3 || !isSlug(name) || (namespace !== null && !isSlug(namespace))) return null
  if (type !== null && !isRefType(type)) return null
  return { type, namespace, name, version: version === 'latest' ? null : version, function: functionName }
}
