// An answer that goes on: what an operation hands over when it keeps talking. How events look on a wire is the door's
// business (`platform/http/streams.ts`).

export type StreamEvent =
  /** The state of a resource: whole, or only the named fields of `data` (which always holds the id). */
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
  /** Pulled one at a time: a reader that stops reading stops the source from producing. */
  open(signal: AbortSignal): AsyncIterable<StreamEvent>
  /** A single resource's stream, which ends with `done` after the terminal update. */
  readonly single: boolean
  /** The caller has seen the terminal event already: nothing will ever come. */
  readonly finished?: boolean
}

/** An operation may decide by its input whether it answers once or keeps talking. */
export const isEventStream = (value: unknown): value is EventStream =>
  typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function'
