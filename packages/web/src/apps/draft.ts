// "Run again with changes": the input of an earlier run, handed over to the form of its app. Kept until it is taken.

const drafts = new Map<string, unknown>()

export const leaveDraft = (appId: string, input: unknown): void => {
  drafts.set(appId, input)
}

export const takeDraft = (appId: string): unknown => drafts.get(appId)

export const dropDraft = (appId: string): void => {
  drafts.delete(appId)
}
