// "Change and run": the function and the input of an earlier run, handed over to the form of its app. A page may be rendered
// several times before it stands, so that a draft is dropped only when the page that shows it does.

export type Draft = { function: string; input: unknown }

const drafts = new Map<string, Draft>()

export const leaveDraft = (appId: string, draft: Draft): void => {
  drafts.set(appId, draft)
}

export const draftFor = (appId: string): Draft | undefined => drafts.get(appId)

export const dropDraft = (appId: string): void => {
  drafts.delete(appId)
}
