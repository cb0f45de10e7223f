// Calls an operation with the checks that every door owes it, in this order: authorise, limit, validate, once only, run,
// follow. `invoke` is for doors that hold the whole call: an agent's tool, the tools protocol, a page. HTTP knows its
// caller before it has read the body, so it takes the steps one by one: `enter`, `countCall`, `perform`.
import type { TSchema } from 'typebox'
import { type Actor, isMember } from './actor.ts'
import { authorise } from './authorise.ts'
import { type CallParts, type Ctx, createCtx, type Platform } from './ctx.ts'
import { fail } from './errors.ts'
import { type EventStream, isEventStream } from './event-stream.ts'
import type { Answer, Gate, OnceOnly, WhenGone } from './gate.ts'
import type { AnyInput, Operation, Wire } from './operation.ts'
import { assertStorable } from './storable.ts'
import { type Validator, validator } from './validate.ts'

export type Outcome = Answer & {
  /** The answer is one that was given before under the same key. */
  readonly replayed: boolean
}

export type Invocation = CallParts & {
  readonly actor: Actor
  /** Values, not texts: numbers are numbers, arrays are arrays. A list's request is its `body`. */
  readonly input?: Partial<AnyInput>
  /** A second call of the same caller with the same key gets the first answer and changes nothing. */
  readonly idempotencyKey?: string
}

/**
 * Calls an operation as `actor`. A refusal is thrown as a `Failure`. `data` may be an `EventStream` (`isEventStream`):
 * it ends by itself when what let the caller in is taken away.
 */
export const invoke = async (
  platform: Platform,
  operation: Operation,
  { actor, input = {}, idempotencyKey, ...call }: Invocation,
): Promise<Outcome> => {
  const { gate } = platform
  const ctx = enter(platform, operation, actor, call)
  await countCall(gate, operation, ctx, withoutWire)
  const read = readValues(operation, input)
  const once = idempotencyKey === undefined ? undefined : { key: idempotencyKey, door: operation.name, request: input }
  const outcome = await perform(gate, operation, ctx, read, { wire: withoutWire, once })
  return isEventStream(outcome.data) ? { ...outcome, data: whileWelcome(gate, ctx.actor, outcome.data) } : outcome
}

/** May this caller come in? The context that the operation runs in. */
export const enter = (platform: Platform, operation: Operation, caller: Actor, call: CallParts): Ctx<Actor> =>
  createCtx(platform, authorise(caller, operation), call)

/** Counts the call against the operation's limit, unless counting depends on the input: then `perform` does it. */
export const countCall = async (gate: Gate, operation: Operation, ctx: Ctx<Actor>, wire: Wire): Promise<void> => {
  if (operation.rateLimit && !operation.uncounted) await count(gate, operation.rateLimit, ctx, wire)
}

const count = async (gate: Gate, name: NonNullable<Operation['rateLimit']>, ctx: Ctx<Actor>, wire: Wire) => {
  for (const [header, value] of Object.entries(await gate.limit(ctx, name))) wire.header(header, value)
}

/** Runs the operation with input that has been read, and follows what it began. */
export const perform = async (
  gate: Gate,
  operation: Operation,
  ctx: Ctx<Actor>,
  input: AnyInput,
  { wire, once, whenGone }: { wire: Wire; once: OnceOnly | undefined; whenGone?: WhenGone },
): Promise<Outcome> => {
  const { run, follow, uncounted, rateLimit } = operation
  if (rateLimit && uncounted && !uncounted(ctx.actor, input)) await count(gate, rateLimit, ctx, wire)
  const { actor } = ctx
  // A list changes nothing that could happen twice; and what is kept for strangers would be theirs to fill.
  if (once === undefined || operation.replay === 'never' || operation.list || !isMember(actor)) {
    const result = await gate.turn(ctx.actor, async () => run(ctx, input, wire), whenGone)
    return { data: follow ? await follow(ctx, result, input) : result, notices: ctx.notices, replayed: false }
  }
  const call = { ...once, reachesOut: operation.reachesOut === true }
  const answer = await gate.turn(
    ctx.actor,
    () => gate.once(ctx.as(actor), call, async (ctx) => ({ data: await run(ctx, input, wire), notices: ctx.notices })),
    whenGone,
  )
  return follow ? { ...answer, data: await follow(ctx, answer.data, input) } : answer
}

type ValueReaders = Readonly<Record<keyof AnyInput, Validator>>

const readers = new WeakMap<Operation, ValueReaders>()

const readersOf = (operation: Operation): ValueReaders => {
  const known = readers.get(operation)
  if (known) return known
  const reader = (schema: TSchema | undefined, where: keyof AnyInput): Validator =>
    schema
      ? validator(schema, where, {
          missingField: operation.missingField,
          wrongField: operation.wrongField,
          values: true,
        })
      : () => undefined
  const made = {
    path: reader(operation.path, 'path'),
    query: reader(operation.query, 'query'),
    body: operation.bytes ? (bytes: unknown) => bytes : reader(operation.body, 'body'),
  }
  readers.set(operation, made)
  return made
}

/** Reading takes out what stands for "absent": the caller's own values stay as they are. */
const readValues = (operation: Operation, { path = {}, query = {}, body = {} }: Partial<AnyInput>): AnyInput => {
  const { path: readPath, query: readQuery, body: readBody } = readersOf(operation)
  for (const part of [path, query, ...(operation.bytes ? [] : [body])]) assertStorable(part)
  return {
    path: readPath(structuredClone(path)),
    query: readQuery(structuredClone(query)),
    body: readBody(operation.bytes ? body : structuredClone(body)),
  }
}

/** Where there is no browser, headers and cookies have nowhere to go; an answer that is only a redirect makes no sense. */
const withoutWire: Wire = {
  headers: {},
  header: () => {},
  setCookie: () => {},
  clearCookie: () => {},
  redirect: () => {
    throw fail('forbidden', 'This operation leads a browser to another page: open its address in one')
  },
  noContent: () => {},
  notModified: () => {},
}

/** A stream outlives the call that opened it: it must end when what let its reader in is taken away. */
const whileWelcome = (gate: Gate, actor: Actor, stream: EventStream): EventStream => ({
  ...stream,
  async *open(signal) {
    const loss = new AbortController()
    const unwatch = gate.watch(actor, () => loss.abort())
    const either = AbortSignal.any([signal, loss.signal])
    try {
      for await (const event of stream.open(either)) {
        if (either.aborted) return
        yield event
      }
    } finally {
      unwatch()
    }
  },
})
