// One real request and answer per operation, written by `npm run examples` from its scenarios.
import { readFileSync } from 'node:fs'

export type Example = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The whole answer, with its envelope. */
  readonly response: unknown
}

export type Examples = Readonly<Record<string, Example>>

/** Read when the reference is first asked for. */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples
