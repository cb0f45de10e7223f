// One real request and answer per operation, written by `npm run examples` from its scenarios.
import { readFileSync } from 'node:fs'

type Request = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Answered with JSON (all of it, with its envelope), with events, or by sending the caller elsewhere. */
export type Example = Request &
  ({ readonly response: unknown } | { readonly events: string } | { readonly location: string })

export type Examples = Readonly<Record<string, Example>>

/** Read when the reference is first asked for. */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples
