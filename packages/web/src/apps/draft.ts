// "Edit and run": passes the function and input of an earlier run to the form of its app. A page may render several times
// before it is mounted, so it removes the draft in an effect.

export type Draft = { function: string; input: unknown }

const drafts = new Map<string, Draft>()

export const leaveDraft = (appId: string, draft: Draft): void => {
  drafts.set(appId, draft)
}

export const draftFor = (appId: string): Draft | undefined => drafts.get(appId)

export const dropDraft = (appId: string): void => {
  drafts.delete(appId)
}
