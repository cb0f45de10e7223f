// Bus subjects: one declaration per subject defines its name, its address and its data. Messages from other servers are
// validated, because those may run another version.
import type { Static, TSchema } from 'typebox'
import { compile } from './validate.ts'

/**
 * everyone: every server receives the message · one: exactly one listening server, preferably this one · holder: the
 * server that listens for this key · here: never leaves the server.
 */
export type Addressing = 'everyone' | 'one' | 'holder' | 'here'

declare const carried: unique symbol

/** A name on the bus with the type of its data. */
export type Subject<P> = string & { readonly [carried]: P }

export type Declaration = {
  readonly name: string
  readonly address: Addressing
  accepts(data: unknown): boolean
  /** A replacement for data that exceeds the message limit: it only announces that there is something to read. */
  brief?(data: unknown): unknown
}

const declarations = new Map<string, Declaration>()

type Options<P> = { brief?: (data: P) => P }

const declare = <S extends TSchema>(
  name: string,
  address: Addressing,
  schema: S,
  { brief }: Options<Static<S>> = {},
): void => {
  if (declarations.has(name)) throw new Error(`The subject ${name} is declared twice`)
  declarations.set(name, {
    name,
    address,
    accepts: compile(schema),
    ...(brief && { brief: (data) => brief(data as Static<S>) }),
  })
}

/** One subject. */
export const subject = <S extends TSchema>(
  name: string,
  address: Addressing,
  schema: S,
  options?: Options<Static<S>>,
): Subject<Static<S>> => {
  declare(name, address, schema, options)
  return name as Subject<Static<S>>
}

/** One subject per key, such as a resource, a workspace or a connection. */
export const subjectOf = <S extends TSchema>(
  name: string,
  address: Addressing,
  schema: S,
  options?: Options<Static<S>>,
): ((key: string) => Subject<Static<S>>) => {
  declare(name, address, schema, options)
  return (key) => `${name}:${key}` as Subject<Static<S>>
}

export const declarationOf = (name: string): Declaration => {
  const colon = name.indexOf(':')
  const found = declarations.get(name) ?? (colon < 0 ? undefined : declarations.get(name.slice(0, colon)))
  if (!found) throw new Error(`The subject ${name} is not declared`)
  return found
}
