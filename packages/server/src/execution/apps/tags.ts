// Tags of apps: a few short lower-case slugs. Pure.

const tagPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
const maxTags = 10
const maxTagLength = 50

const normalize = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.trim().toLowerCase()))]

const isTag = (tag: string): boolean => tag.length <= maxTagLength && tagPattern.test(tag)

export type Tags = { ok: true; tags: string[] } | { ok: false; problem: string }

/** Validates the tags of a request: all of them, or the reason for the refusal. */
export const readTags = (requested: readonly string[]): Tags => {
  const tags = normalize(requested)
  const wrong = tags.find((tag) => !isTag(tag))
  if (wrong !== undefined)
    return {
      ok: false,
      problem: `tags: "${wrong.slice(0, 80)}" must be lower-case letters, digits and single hyphens, at most ${maxTagLength} characters`,
    }
  if (tags.length > maxTags)
    return { ok: false, problem: `tags must have at most ${maxTags} entries, got ${tags.length}` }
  return { ok: true, tags }
}

/** The tags of a version's metadata: the valid ones, and the skipped ones. */
export const tagsOfMetadata = (value: unknown): { tags: string[]; skipped: string[] } => {
  if (!Array.isArray(value)) return { tags: [], skipped: [] }
  const texts = normalize(value.filter((tag) => typeof tag === 'string'))
  const good = texts.filter(isTag)
  const skipped = [...texts.filter((tag) => !isTag(tag)), ...good.slice(maxTags)]
  return { tags: good.slice(0, maxTags), skipped: skipped.slice(0, 20).map((tag) => tag.slice(0, 80)) }
}

/** The title of `image-editing`. */
export const tagTitle = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
