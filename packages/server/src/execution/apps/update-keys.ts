// Sorts the keys of an update body. Editable keys are applied, server-managed keys are ignored, keys with their own
// endpoint are ignored with a notice, and all others are errors. Pure.

export const editableKeys = ['title', 'description', 'agent_description', 'category', 'images', 'tags'] as const

const systemKeys: ReadonlySet<string> = new Set(['id', 'short_id', 'user_id', 'team_id', 'created_at', 'deleted_at'])
const ownEndpointKeys: ReadonlySet<string> = new Set(['version_id', 'status', 'visibility'])
const editable: ReadonlySet<string> = new Set(editableKeys)

export type UpdateKeys = {
  editable: string[]
  /** Has its own endpoint: ignored with a notice. */
  ignored: string[]
  unknown: string[]
}

/** Null counts as absent. */
export const sortUpdateKeys = (body: Readonly<Record<string, unknown>>): UpdateKeys => {
  const keys = Object.keys(body)
  return {
    editable: keys.filter((key) => editable.has(key) && body[key] !== null && body[key] !== undefined),
    ignored: keys.filter((key) => ownEndpointKeys.has(key)),
    unknown: keys.filter((key) => !editable.has(key) && !ownEndpointKeys.has(key) && !systemKeys.has(key)),
  }
}
