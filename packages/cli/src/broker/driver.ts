// The cloud's side of a broker: start an engine under a given id, say how it is, take it away. Each may be asked again.
import type { Machine } from '@millrace/contract/broker'

export type Facts = {
  readonly status: string
  readonly cloud_assigned_id?: string
  readonly ip?: string
  readonly interruption_at?: string
}

export type Driver = {
  /** Asked again for the same id, it starts nothing more. */
  create(machine: Machine): Promise<Facts & { cloud_assigned_id: string }>
  /** Null when there is no such machine. */
  status(id: string): Promise<Facts | null>
  remove(id: string): Promise<void>
  list(): Promise<{ id: string; status: string }[]>
}

/** What an engine on any machine is told, as environment. It holds the key: never on a command line. */
export const engineEnvironment = ({ engine }: Machine): Record<string, string> => ({
  MILLRACE_API_URL: engine.api_url,
  MILLRACE_API_KEY: engine.api_key,
  MILLRACE_ENGINE_ID: engine.id,
  MILLRACE_ENGINE_NAME: engine.name,
})

const extensionMs = 30 * 24 * 3_600_000

/**
 * For a limit of the cloud's own, which only ends what the server can no longer end: a rental is extended without a word to its
 * broker, by thirty days at most.
 */
export const limitSeconds = ({ end_time }: Machine, now: Date): number =>
  Math.ceil((Math.max(0, Date.parse(end_time) - now.getTime()) + extensionMs) / 1000)

/** Ids that the server gives out. Anything else never reaches a command or an address. */
export const isId = (text: string): boolean => /^[0-9a-z]{26}$/.test(text)
