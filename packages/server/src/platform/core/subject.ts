// Subjects of the bus: one declaration per subject says its name, to whom it is addressed and what it carries. A message
// of another server is held against its declaration, because that server may be of another version.
import type { Static, TSchema } from 'typebox'
import { compile } from './validate.ts'

/**
 * everyone: each server hears it · one: exactly one server that listens takes it, this one where it does · holder: the
 * server that listens for this very key takes it · here: never leaves the server.
 */
export type Address = 'everyone' | 'one' | 'holder' | 'here'

declare const carried: unique symbol

/** A name on the bus that knows what travels under it. */
export type Subject<P> = string & { readonly [carried]: P }

export type Declaration = {
  readonly name: string
  readonly address: Address
  accepts(data: unknown): boolean
  /** What travels instead when the whole is too large for one message: word that there is something to read. */
  brief?(data: unknown): unknown
}

const declarations = new Map<string, Declaration>()

type Options<P> = { brief?: (data: P) => P }

const declare = <S extends TSchema>(
  name: string,
  address: Address,
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
  address: Address,
  schema: S,
  options?: Options<Static<S>>,
): Subject<Static<S>> => {
  declare(name, address, schema, options)
  return name as Subject<Static<S>>
}

/** A subject for each key: a resource, a workspace, a connection. */
export const subjectOf = <S extends TSchema>(
  name: string,
  address: Address,
  schema: S,
  options?: Options<Static<S>>,
): ((key: string) => Subject<Static<S>>) => {
  declare(name, address, schema, options)
  return (key) => `${name}:${key}` as Subject<Static<S>>
}

export const declarationOf = (name: string): Declaration => {
  const colon = name.indexOf(':')
  const found = declarations.get(name) ?? (colon < 0 ? undefined : declarations.get(name.slice(0, colon)))
  if (!found) throw new Error(`Nobody has declared the subject ${name}`)
  return found
}
