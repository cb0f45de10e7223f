// One real request and response per operation, written by `npm run examples` from the scenarios.
import { readFileSync } from 'node:fs'

type Request = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The response is JSON (with envelope), events, or a redirect. */
export type Example = Request &
  ({ readonly response: unknown } | { readonly events: string } | { readonly location: string })

export type Examples = Readonly<Record<string, Example>>

/** Read at the first request for the reference. */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples
