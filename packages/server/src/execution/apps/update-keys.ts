// Which keys of an update body count. Editable ones are written; those the server manages are ignored; those that have
// doors of their own are ignored with a notice; what is left is a mistake. Pure.

export const editableKeys = ['title', 'description', 'agent_description', 'category', 'images', 'tags'] as const

const systemKeys: ReadonlySet<string> = new Set(['id', 'short_id', 'user_id', 'team_id', 'created_at', 'deleted_at'])
const ownDoorKeys: ReadonlySet<string> = new Set(['version_id', 'status', 'visibility'])
const editable: ReadonlySet<string> = new Set(editableKeys)

export type UpdateKeys = {
  editable: string[]
  /** Has a door of its own: ignored, and said so. */
  ignored: string[]
  unknown: string[]
}

/** A null is an absent value. */
export const sortUpdateKeys = (body: Readonly<Record<string, unknown>>): UpdateKeys => {
  const keys = Object.keys(body)
  return {
    editable: keys.filter((key) => editable.has(key) && body[key] !== null && body[key] !== undefined),
    ignored: keys.filter((key) => ownDoorKeys.has(key)),
    unknown: keys.filter((key) => !editable.has(key) && !ownDoorKeys.has(key) && !systemKeys.has(key)),
  }
}
