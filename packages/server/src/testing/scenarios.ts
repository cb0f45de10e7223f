// Endpoint tests as tables: the caller, the request and the expected reply, including audited actions and published
// events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '#platform/core/operation.ts'
import { operations } from '#start/app.ts'
import { type ExampleRequest, recordCalls, recordExample } from './examples.ts'
import { type As, createWorld, type Event, type World, type WorldOptions } from './world.ts'

export type Scenario<G> = {
  claim: string
  as: As | ((given: G) => As)
  /** Overrides the operation's first route; parameters are filled from `path`. */
  route?: string
  path?: Record<string, string> | ((given: G) => Record<string, string>)
  body?: unknown | ((given: G) => unknown)
  query?: Record<string, string> | ((given: G) => Record<string, string>)
  headers?: Record<string, string> | ((given: G) => Record<string, string>)
  team?: string | ((given: G) => string)
  /** Makes the calls itself if one request is not enough: a race, a flow through a browser. */
  act?: (world: World, given: G) => ReturnType<World['call']>
  status: number
  code?: string
  /** Additional assertions on the answer. */
  check?: (answer: Awaited<ReturnType<World['call']>>, given: G, world: World) => void | Promise<void>
  /** The exact actions that this call adds to the audit log. */
  audits?: string[]
  /** The exact events that this call publishes before it answers: workspace events as `team/name`, others by kind. */
  emits?: string[]
}

/** The claims of a table, for the coverage check. */
export type RecordedScenario = {
  operation: string
  /** Null: signed out. A credential created for the scenario is `token`. */
  as: string | null
  status: number
  code: string | undefined
}

/** A time that was not read from the database and therefore lost its microseconds. */
const coarseTime = /"\w+_at":"\d{4}-\d\d-\d\dT[\d:]+(\.\d{1,5})?Z"/

/** Every scenario of the test files loaded so far. */
export const recordedScenarios: RecordedScenario[] = []

/** One world for several tables with independent rows; faster than one world each. */
export type SharedWorld = { world: () => World }

/** Created before the first table of the file and closed after the last. */
export const sharedWorld = (options?: WorldOptions): SharedWorld => {
  let world: World
  beforeAll(async () => {
    world = await createWorld(options)
  })
  afterAll(() => world?.close())
  return { world: () => world }
}

const worlds = new Map<string | undefined, SharedWorld>()

/** Created by the first table of a file, which must not be inside a `describe`: the world is closed with its block. */
const worldOfFile = (): SharedWorld => {
  const path = expect.getState().testPath
  const current = worlds.get(path) ?? sharedWorld()
  worlds.set(path, current)
  return current
}

/** For tables whose rows would affect others, such as limits and complete lists. */
export const ownWorld: WorldOptions = {}

/** Runs each scenario in the world of its file, or in its own if requested; `given` creates its rows. */
export const scenarios = <G>(
  name: string,
  given: (world: World) => Promise<G> | G,
  table: readonly Scenario<G>[],
  options?: WorldOptions | SharedWorld,
): void => {
  const operation = findOperation(name)
  for (const { as, status, code } of table)
    recordedScenarios.push({
      operation: name,
      as: typeof as === 'function' || (typeof as === 'object' && as !== null) ? 'token' : as,
      status,
      code,
    })
  const shared = options === undefined ? worldOfFile() : 'world' in options ? options : null
  describe(name, () => {
    const current = shared ?? sharedWorld(options as WorldOptions)
    it.each(table)('$claim', async (scenario) => {
      const world = current.world()
      const prepared = await given(world)
      await world.prepare(callerOf(scenario, prepared))
      const auditsBefore = (await world.audits()).length
      const request = scenario.act ? null : requestOf(operation, scenario, prepared)
      const recorder = recordCalls(world)
      const { result: answer, events: published } = await world.recordEvents(async () =>
        request
          ? send(world, { ...request, body: withMore(operation, request.body) }, scenario, prepared)
          : scenario.act?.(recorder.world, prepared),
      )
      if (!answer) throw new Error('The scenario makes no call')
      const audited = (await world.audits()).slice(auditsBefore)
      expect({ status: answer.status, code: answer.code }, answer.text).toEqual({
        status: scenario.status,
        code: scenario.code,
      })
      expect(answer.text, 'times have microseconds').not.toMatch(coarseTime)
      const example = request ?? recorder.requestFor(answer, operation) ?? streamOf(operation, scenario, prepared)
      if (example) await recordExample(operation, example, answer)
      expectEffects(scenario, { audits: audited, emits: published.map(labelOf) }, request !== null)
      await scenario.check?.(answer, prepared, world)
    })
  })
}

/** Workspace events by name, others by kind, because their ids vary. */
const labelOf = ({ subject, data }: Event): string => {
  const kind = subject.replace(/:.*/s, '')
  return kind === 'team' ? `team/${(data as { name: string }).name}` : kind
}

/** A call must have exactly the stated effects; a scenario with further calls at least these. */
const expectEffects = <G>(
  { audits = [], emits = [] }: Scenario<G>,
  caused: { audits: string[]; emits: string[] },
  isAlone: boolean,
): void => {
  const stated = { audits: [...audits].sort(), emits: [...emits].sort() }
  const found = { audits: [...caused.audits].sort(), emits: [...new Set(caused.emits)].sort() }
  if (isAlone) expect(found, 'effects of the call').toEqual(stated)
  else
    expect(found, 'effects of the calls').toEqual({
      audits: expect.arrayContaining(stated.audits),
      emits: expect.arrayContaining(stated.emits),
    })
}

/**
 * The request of a scenario with its given values. Evaluated once, because functions in a table may have side effects.
 */
const requestOf = <G>(operation: Operation, scenario: Scenario<G>, given: G) => ({
  route: scenario.route ?? operation.routes[0] ?? '',
  path: typeof scenario.path === 'function' ? scenario.path(given) : (scenario.path ?? {}),
  body: typeof scenario.body === 'function' ? scenario.body(given) : scenario.body,
  query: typeof scenario.query === 'function' ? scenario.query(given) : scenario.query,
})

/** An endless stream is read differently; the request is recorded as the scenario states it. */
const streamOf = <G>(operation: Operation, scenario: Scenario<G>, given: G): ExampleRequest | null =>
  operation.stream ? requestOf(operation, scenario, given) : null

const callerOf = <G>({ as }: Scenario<G>, given: G): As => (typeof as === 'function' ? as(given) : as)

/** Every operation ignores undeclared fields: each scenario sends one. */
const withMore = ({ body: schema }: Operation, body: unknown): unknown => {
  const declares = (schema ?? {}) as { properties?: object; additionalProperties?: unknown; patternProperties?: object }
  const isOpen = !declares.properties || declares.additionalProperties !== undefined || declares.patternProperties
  const isPlain = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return isOpen || !isPlain ? body : { ...body, beyond_its_door: { is: 'ignored' } }
}

const send = <G>(world: World, { route, path, body, query }: ExampleRequest, scenario: Scenario<G>, given: G) => {
  return world.call(callerOf(scenario, given), fillRoute(route, path), {
    body,
    query,
    headers: typeof scenario.headers === 'function' ? scenario.headers(given) : scenario.headers,
    team: typeof scenario.team === 'function' ? scenario.team(given) : scenario.team,
  })
}

const findOperation = (name: string): Operation => {
  const found = operations.find((operation) => operation.name === name)
  if (!found) throw new Error(`Operation ${name} not found`)
  return found
}

const fillRoute = (route: string, path: Record<string, string>): string =>
  route.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = path[name]
    if (value === undefined) throw new Error(`The scenario has no ${name} for ${route}`)
    return encodeURIComponent(value)
  })
