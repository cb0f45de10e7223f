// Ids on these routes: a prefix of the protocol before an id of ours. Ids without the prefix are accepted.
const stripped = (prefix: string) => (id: string) => (id.startsWith(prefix) ? id.slice(prefix.length) : id)

export const completionId = (id: string): string => `chatcmpl-${id}`
export const responseId = (id: string): string => `resp_${id}`
export const callId = (id: string): string => `call_${id}`
export const fileId = (id: string): string => `file-${id}`

export const ofCompletion = stripped('chatcmpl-')
export const ofResponse = stripped('resp_')
export const ofCall = stripped('call_')
export const ofFile = stripped('file-')
