// An answer as text for the model and as data for the record. Pure.
import type { AnswerTool } from '@millrace/contract/chat-answers'
import { isRecord } from '@millrace/contract/json'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'

/** `result`, or the whole body as some clients send it. */
export const textOfAnswer = ({ result, ...itself }: AnswerTool): string => result ?? JSON.stringify(itself)

export const dataOfAnswer = (text: string): unknown => {
  try {
    const value: unknown = parseUntrustedJson(text)
    return isRecord(value) ? value : { result: text }
  } catch {
    return { result: text }
  }
}
