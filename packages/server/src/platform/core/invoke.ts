// Calls an operation with all its checks, in this order: authorize, limit, validate, idempotency, run, follow. `invoke`
// is for entry points that have the complete call: an agent's tool, an MCP tool, a page. HTTP authenticates before it
// reads the body, so it calls the steps separately: `enter`, `countCall`, `perform`.
import type { TSchema } from 'typebox'
import { type Actor, isMember } from './actor.ts'
import { authorise } from './authorise.ts'
import { type CallParts, type Ctx, createCtx, type Platform } from './ctx.ts'
import { fail } from './errors.ts'
import { type EventStream, isEventStream } from './event-stream.ts'
import type { Gate, OnceOnly, OnDisconnect, OperationAnswer } from './gate.ts'
import type { AnyInput, Operation, Wire } from './operation.ts'
import { assertStorable } from './storable.ts'
import { type Validator, validator } from './validate.ts'
import { valueBytes } from './value-bytes.ts'

export type Outcome = OperationAnswer & {
  /** True if the answer was stored by an earlier call with the same key. */
  readonly replayed: boolean
}

export type Invocation = CallParts & {
  readonly actor: Actor
  /** Parsed values: numbers are numbers, arrays are arrays. The request of a list is its `body`. */
  readonly input?: Partial<AnyInput>
  /** A second call by the same caller with the same key returns the first answer and changes nothing. */
  readonly idempotencyKey?: string
}

/**
 * Calls an operation as `actor`. Throws a `Failure` on refusal. `data` may be an `EventStream` (`isEventStream`), which
 * ends when the caller loses access.
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
  const once = idempotencyKey === undefined ? undefined : { key: idempotencyKey, route: operation.name, request: input }
  const outcome = await perform(gate, operation, ctx, read, { wire: withoutWire, once })
  return isEventStream(outcome.data) ? { ...outcome, data: untilAccessLost(gate, ctx.actor, outcome.data) } : outcome
}

/** Authorizes the caller and returns the context of the operation. */
export const enter = (platform: Platform, operation: Operation, caller: Actor, call: CallParts): Ctx<Actor> =>
  createCtx(platform, authorise(caller, operation), call)

/** Counts the call against the operation's limit. If counting depends on the input, `perform` counts instead. */
export const countCall = async (gate: Gate, operation: Operation, ctx: Ctx<Actor>, wire: Wire): Promise<void> => {
  if (operation.rateLimit && !operation.uncounted) await count(gate, operation.rateLimit, ctx, wire)
}

const count = async (gate: Gate, name: NonNullable<Operation['rateLimit']>, ctx: Ctx<Actor>, wire: Wire) => {
  for (const [header, value] of Object.entries(await gate.limit(ctx, name))) wire.header(header, value)
}

/** Runs the operation with validated input, then `follow`. */
export const perform = async (
  gate: Gate,
  operation: Operation,
  ctx: Ctx<Actor>,
  input: AnyInput,
  { wire, once, onDisconnect }: { wire: Wire; once: OnceOnly | undefined; onDisconnect?: OnDisconnect },
): Promise<Outcome> => {
  const { follow, uncounted, rateLimit } = operation
  if (rateLimit && uncounted && !uncounted(ctx.actor, input)) await count(gate, rateLimit, ctx, wire)
  const { actor } = ctx
  const run = async (ctx: Ctx<Actor>): Promise<unknown> => {
    if (operation.stores) await gate.requireRoom(ctx, operation.stores === 'body' ? valueBytes(input.body) : 'unknown')
    return operation.run(ctx, input, wire)
  }
  // A list changes nothing, and stored answers of guests would let strangers fill the table.
  if (once === undefined || operation.replay === 'never' || operation.list || !isMember(actor)) {
    const result = await gate.turn(ctx.actor, () => run(ctx), onDisconnect)
    return { data: follow ? await follow(ctx, result, input) : result, notices: ctx.notices, replayed: false }
  }
  const call = { ...once, reachesOut: operation.reachesOut === true }
  const answer = await gate.turn(
    ctx.actor,
    () => gate.once(ctx.as(actor), call, async (ctx) => ({ data: await run(ctx), notices: ctx.notices })),
    onDisconnect,
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

/** Validation deletes nulls that mean "absent", so it gets a copy of the caller's values. */
const readValues = (operation: Operation, { path = {}, query = {}, body = {} }: Partial<AnyInput>): AnyInput => {
  const { path: readPath, query: readQuery, body: readBody } = readersOf(operation)
  for (const part of [path, query, ...(operation.bytes ? [] : [body])]) assertStorable(part)
  return {
    path: readPath(structuredClone(path)),
    query: readQuery(structuredClone(query)),
    body: readBody(operation.bytes ? body : structuredClone(body)),
  }
}

/** Without a browser, headers and cookies are ignored, and a redirect is refused. */
const withoutWire: Wire = {
  headers: {},
  header: () => {},
  setCookie: () => {},
  clearCookie: () => {},
  redirect: () => {
    throw fail('forbidden', 'This operation redirects a browser; open its URL in a browser')
  },
  noContent: () => {},
  notModified: () => {},
}

/** Ends a stream when its reader loses access. */
const untilAccessLost = (gate: Gate, actor: Actor, stream: EventStream): EventStream => ({
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
