// Names on the bus that dispatching listens to.
import type { SentTask } from '../tasks/service.ts'

/** A task was given to a worker when it was made, and has to be sent there: a `PlacedTask`. */
export const placedSubject = 'tasks:placed'
export type PlacedTask = { readonly task: SentTask; readonly public_key: string }
