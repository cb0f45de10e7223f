// The driver of a broker: starts, inspects and deletes engines. Every call can be repeated.
import type { Machine } from '@millrace/contract/broker'

export type Facts = {
  readonly status: string
  readonly cloud_assigned_id?: string
  readonly ip?: string
  readonly interruption_at?: string
}

export type Driver = {
  /** A repeated call with the same id starts nothing more. */
  create(machine: Machine): Promise<Facts & { cloud_assigned_id: string }>
  /** Null if the machine does not exist. */
  status(id: string): Promise<Facts | null>
  remove(id: string): Promise<void>
  list(): Promise<{ id: string; status: string }[]>
}

/** The environment of an engine. It contains the key, so it must never be part of a command line. */
export const engineEnvironment = ({ engine }: Machine): Record<string, string> => ({
  MILLRACE_API_URL: engine.api_url,
  MILLRACE_API_KEY: engine.api_key,
  MILLRACE_ENGINE_ID: engine.id,
  MILLRACE_ENGINE_NAME: engine.name,
})

const extensionMs = 30 * 24 * 3_600_000

/**
 * For the time limit of the cloud, which ends machines that the server can no longer end. Brokers are not notified of
 * extended rentals, so the limit adds thirty days.
 */
export const limitSeconds = ({ end_time }: Machine, now: Date): number =>
  Math.ceil((Math.max(0, Date.parse(end_time) - now.getTime()) + extensionMs) / 1000)

/** Ids have this form. Nothing else is passed to a command or an address. */
export const isId = (text: string): boolean => /^[0-9a-z]{26}$/.test(text)
