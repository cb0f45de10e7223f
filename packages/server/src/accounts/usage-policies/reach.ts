// Evaluates usage policies. Pure.

export const policyKinds = ['apps', 'agents', 'mcps', 'knowledge', 'flows'] as const
export type PolicyKind = (typeof policyKinds)[number]

/** Patterns per kind; null allows everything of the kind, an empty list nothing. */
export type PolicyPatterns = Readonly<Record<PolicyKind, readonly string[] | null>>

/** A resource that a caller wants to use. */
export type PolicyTarget = {
  readonly kind: PolicyKind
  readonly namespace: string
  readonly name: string
  /** Whether it belongs to the caller's workspace. */
  readonly isOwn: boolean
}

const slug = '[a-z0-9]+(?:-[a-z0-9]+)*'
const pattern = new RegExp(`^(?:own|${slug}/(?:\\*|${slug}))$`)

/** `all`, `none`, or comma-separated patterns; otherwise the invalid word. */
export const readPatterns = (text: string): { patterns: string[] | null } | { wrong: string } => {
  const words = text.split(',').map((word) => word.trim())
  if (words.length === 1 && words[0] === 'all') return { patterns: null }
  if (words.length === 1 && words[0] === 'none') return { patterns: [] }
  const wrong = words.find((word) => !pattern.test(word))
  return wrong === undefined ? { patterns: [...new Set(words)] } : { wrong }
}

export const shownPatterns = (patterns: readonly string[] | null): string => {
  if (patterns === null) return 'all'
  return patterns.length === 0 ? 'none' : patterns.join(',')
}

export const isWithin = (reach: PolicyPatterns, { kind, namespace, name, isOwn }: PolicyTarget): boolean => {
  const patterns = reach[kind]
  if (patterns === null) return true
  return patterns.some((one) => (one === 'own' && isOwn) || one === `${namespace}/*` || one === `${namespace}/${name}`)
}
