// Tags of apps: lower-case slugs, few and short. Pure.

const tagPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
const maxTags = 10
const maxTagLength = 50

const normalise = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.trim().toLowerCase()))]

const isTag = (tag: string): boolean => tag.length <= maxTagLength && tagPattern.test(tag)

export type Tags = { ok: true; tags: string[] } | { ok: false; problem: string }

/** What a caller asked for: all of it or a reason. */
export const readTags = (asked: readonly string[]): Tags => {
  const tags = normalise(asked)
  const wrong = tags.find((tag) => !isTag(tag))
  if (wrong !== undefined)
    return {
      ok: false,
      problem: `tags: "${wrong.slice(0, 80)}" must be lower-case letters, digits and single hyphens, at most ${maxTagLength} characters`,
    }
  if (tags.length > maxTags) return { ok: false, problem: `tags must be at most ${maxTags}, got ${tags.length}` }
  return { ok: true, tags }
}

/** What a version's free metadata says: the good ones of it, and those left out. */
export const tagsOfMetadata = (value: unknown): { tags: string[]; skipped: string[] } => {
  if (!Array.isArray(value)) return { tags: [], skipped: [] }
  const texts = normalise(value.filter((tag) => typeof tag === 'string'))
  const good = texts.filter(isTag)
  const skipped = [...texts.filter((tag) => !isTag(tag)), ...good.slice(maxTags)]
  return { tags: good.slice(0, maxTags), skipped: skipped.slice(0, 20).map((tag) => tag.slice(0, 80)) }
}

/** `image-editing` as a person would write it. */
export const tagTitle = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
