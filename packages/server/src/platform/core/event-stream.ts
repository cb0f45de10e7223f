// The result of an operation that streams. `platform/http/streams.ts` defines the format on the wire.

import type { Failure } from './errors.ts'

export type StreamEvent =
  /** The state of a resource: all of it, or only the named fields of `data` (which always contains the id). */
  | {
      readonly type: 'update'
      readonly name?: string
      readonly id?: number
      readonly data: object
      readonly fields?: readonly string[]
    }
  /** A piece of growing text; never replayed. */
  | { readonly type: 'delta'; readonly data: object }

export type EventStream = {
  /** Pulled one event at a time, so a client that stops reading stops the source. */
  open(signal: AbortSignal): AsyncIterable<StreamEvent>
  /** A stream of one resource: it ends with `done` after the terminal update. */
  readonly single: boolean
  /** The client already has the terminal event, so no event will follow. */
  readonly finished?: boolean
  /** Sends the events in the format of another protocol: `data:` lines, with the name of an event if it has one. */
  readonly foreign?: ForeignStream
}

export type ForeignStream = {
  /** Follows the last event. */
  readonly end: string
  /** The last event of a stream that fails. */
  readonly failed: (failure: Failure) => object
}

/** An operation may choose by its input between one response and a stream. */
export const isEventStream = (value: unknown): value is EventStream =>
  typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function'
