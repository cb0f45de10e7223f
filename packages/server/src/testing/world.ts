// A whole server over its own database, called without a socket, with people and keys as callers.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'
import type { LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import pino from 'pino'
import { inject } from 'vitest'
import { mintKey } from '#accounts/access/mint-key.ts'
import { ensureServiceAccount, sessionCookie } from '#accounts/access/service.ts'
import { addMember, createSession, createTeam, ensureAccount } from '#accounts/identity/service.ts'
import { guest } from '#platform/core/actor.ts'
import { type Ctx, createCtx } from '#platform/core/ctx.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { operations } from '#start/app.ts'
import { type OpenPlatform, openPlatform } from '#start/platform.ts'
import { createServer } from '#start/server.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { takeUndeclaredScopes, watchDeclaredScopes } from './declared-scopes.ts'
import { watchCalls } from './event-loop.ts'
import { templateDatabase, withDatabase } from './global-setup.ts'
import { problemCode } from './problem-code.ts'

export type PersonName = 'platform' | 'owner' | 'admin' | 'member' | 'stranger'
export type Person = { userId: string; email: string; token: string; personalTeamId: string }

/**
 * platform: the owner of the installation, with platform scopes · owner, admin, member: of the workspace under test ·
 * stranger: owner of another workspace · key:a,b: a personal key of the owner with these scopes (`key:` alone: full
 * access) · member-key:a,b and workspace-key:a,b likewise · browser:owner: that person's browser, with its cookie ·
 * null: signed out.
 */
export type As =
  | 'platform'
  | 'owner'
  | 'admin'
  | 'member'
  | 'stranger'
  | `key:${string}`
  | `admin-key:${string}`
  | `member-key:${string}`
  | `workspace-key:${string}`
  | `stranger-key:${string}`
  | `browser:${PersonName}`
  | { token: string }
  | null

export type CallOptions = {
  body?: unknown
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Acts in another workspace. */
  team?: string
}

export type Answer = {
  status: number
  headers: LightMyRequestResponse['headers']
  /** The parsed body; undefined if it is not JSON. */
  json: Record<string, unknown> & { data?: unknown }
  text: string
  /** `data` of the envelope, of any shape. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions read arbitrary answers
  data: any
  /** The code at the end of a problem's `type`, or `error` of an OAuth route. */
  code: string | undefined
}

export type Event = { subject: string; data: unknown }

export type World = {
  open: OpenPlatform
  clock: TestClock
  team: { id: string; username: string }
  otherTeam: { id: string; username: string }
  people: Record<PersonName, Person>
  call(as: As, route: string, options?: CallOptions): Promise<Answer>
  /** Creates the credential of an actor in advance. */
  prepare(as: As): Promise<void>
  /** The bearer token of an actor. */
  token(as: As): Promise<string | null>
  /** An unauthenticated context for calling services directly. */
  ctx(): Ctx<typeof guest>
  events: Event[]
  /** Runs `work` and returns the events that it published, without unrelated ones. */
  recordEvents<T>(work: () => Promise<T>): Promise<{ result: T; events: Event[] }>
  audits(): Promise<string[]>
  /** Listens on a loopback port, for tests that need a real socket; returns the origin. */
  listen(): Promise<string>
  /** Connection string of this world's own database. */
  connectionString: string
  close(): Promise<void>
}

/** `fleet`: one of several servers; a replica is then another one. */
export type WorldOptions = { settings?: Record<string, string>; runJobs?: boolean; fleet?: boolean }

export const createWorld = async (options: WorldOptions = {}): Promise<World> => {
  watchDeclaredScopes(operations)
  const database = `world_${newId()}`
  const admin = new pg.Client({ connectionString: inject('postgres') })
  await admin.connect()
  await admin.query(`create database ${database} template ${templateDatabase} strategy file_copy`)
  const connectionString = withDatabase(inject('postgres'), database)
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-world-'))
  const clock = createTestClock()
  const open = await openPlatform({
    settings: readSettings({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_RUN: '0',
      RATE_LIMIT_GET_TASK: '0',
      RATE_LIMIT_UPLOAD: '0',
      ...(options.fleet && { DATABASE_URL: connectionString, DRAIN_SECONDS: '0' }),
      ...options.settings,
    }),
    connectionString,
    log: pino({ level: options.settings?.LOG_LEVEL ?? 'silent' }),
    now: clock.now,
    print: () => {},
    maxConnections: 8,
    isServer: options.fleet ?? false,
  })
  const { platform } = open
  const events: World['events'] = []
  const recorder = new AsyncLocalStorage<Event[]>()
  const publish = platform.bus.publish
  platform.bus.publish = (subject, data) => {
    events.push({ subject, data })
    recorder.getStore()?.push({ subject, data })
    publish(subject, data)
  }
  const server = await createServer(open, { runJobs: options.runJobs ?? false, joins: options.fleet ?? false })
  await server.app.ready()
  const ctx = () => createCtx(platform, guest)

  const person = async (email: string, elevated = false): Promise<Person> => {
    const { user } = await ensureAccount(ctx(), email)
    const session = await createSession(ctx(), { userId: user.id, kind: 'token', authMethod: 'magic-link', elevated })
    return { userId: user.id, email, token: session.secret, personalTeamId: user.default_team_id ?? '' }
  }
  const people = {
    platform: await person('platform@example.com', true),
    owner: await person('owner@example.com'),
    admin: await person('admin@example.com'),
    member: await person('member@example.com'),
    stranger: await person('stranger@example.com'),
  }
  const team = await createTeam(ctx(), people.owner.userId, { name: 'Mill', username: 'mill' })
  const otherTeam = await createTeam(ctx(), people.stranger.userId, { name: 'Other', username: 'other' })
  await addMember(ctx(), team.id, people.admin.userId, 'admin')
  await addMember(ctx(), team.id, people.member.userId, 'member')

  const calls = watchCalls()
  const keys = new Map<string, string>()
  const keyOf = async (name: string): Promise<string> => {
    const known = keys.get(name)
    if (known !== undefined) return known
    const [holder = '', list = ''] = name.split(/:(.*)/s)
    const isStranger = holder === 'stranger-key'
    const creator = isStranger
      ? people.stranger
      : ({ 'member-key': people.member, 'admin-key': people.admin }[holder] ?? people.owner)
    const teamId = isStranger ? otherTeam.id : team.id
    const workspace = holder === 'workspace-key'
    const { text } = await mintKey(ctx(), {
      teamId,
      userId: workspace ? await ensureServiceAccount(platform.db, teamId) : creator.userId,
      createdBy: creator.userId,
      name,
      scope: workspace ? 'workspace' : 'user',
      scopes: list === '' ? [] : list.split(','),
      holdsEngineScopes: list === '' && holder !== 'member-key',
      source: '',
      expiresAt: null,
    })
    keys.set(name, text)
    return text
  }

  const browsers = new Map<PersonName, string>()
  const cookieOf = async (name: PersonName): Promise<string> => {
    const known = browsers.get(name)
    if (known !== undefined) return known
    const { secret } = await createSession(ctx(), {
      userId: people[name].userId,
      kind: 'browser',
      authMethod: 'magic-link',
    })
    browsers.set(name, secret)
    return secret
  }
  const personOf = (as: As): PersonName | null => {
    if (typeof as !== 'string') return null
    const name = as.replace(/^browser:/, '')
    return Object.hasOwn(people, name) ? (name as PersonName) : null
  }
  const credentialHeaders = async (as: As): Promise<Record<string, string>> => {
    const person = personOf(as)
    if (person !== null && as !== person)
      return { cookie: `${sessionCookie}=${await cookieOf(person)}`, origin: platform.settings.APP_URL }
    const bearer = await token(as)
    return bearer === null ? {} : { authorization: `Bearer ${bearer}` }
  }

  const token = async (as: As): Promise<string | null> => {
    if (as === null) return null
    if (typeof as === 'object') return as.token
    if (as.includes(':')) return keyOf(as)
    return people[as as keyof typeof people].token
  }

  const defaultTeam = (as: As): string | undefined => {
    const person = personOf(as)
    if (person === 'stranger') return otherTeam.id
    return person === null || person === 'platform' ? undefined : team.id
  }

  const call: World['call'] = async (as, route, { body, query, headers, team: asked } = {}) => {
    const [method = 'GET', url = '/'] = route.split(' ')
    const teamHeader = asked ?? defaultTeam(as)
    const request = {
      method: method as 'GET',
      url,
      query,
      headers: {
        ...(await credentialHeaders(as)),
        ...(teamHeader === undefined ? {} : { 'x-team-id': teamHeader }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const response = await calls.during(route, (signal) => server.app.inject({ ...request, ...(signal && { signal }) }))
    const json = response.headers['content-type']?.toString().match(/\bjson/) ? JSON.parse(response.body) : undefined
    return {
      status: response.statusCode,
      headers: response.headers,
      json,
      text: response.body,
      data: json?.data,
      code: response.statusCode < 400 ? undefined : problemCode(json ?? {}),
    }
  }

  const world: World = {
    open,
    clock,
    team,
    otherTeam,
    people,
    call,
    prepare: async (as) => void (await credentialHeaders(as)),
    token,
    ctx,
    events,
    recordEvents: async (work) => {
      const recorded: Event[] = []
      const result = await recorder.run(recorded, work)
      return { result, events: [...recorded] }
    },
    connectionString,
    audits: async () =>
      (await platform.db.selectFrom('audit_log').select('action').orderBy('seq').execute()).map((row) => row.action),
    listen: async () => {
      if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
    },
    close: async () => {
      const blocking = await calls.blocking()
      const undeclared = takeUndeclaredScopes()
      await server.stop()
      await open.close()
      await admin.query(`drop database ${database} with (force)`)
      await admin.end()
      await rm(dataDir, { recursive: true, force: true })
      forget(world)
      if (undeclared.length > 0) throw new Error(`Undeclared scope checks:\n${undeclared.join('\n')}`)
      if (blocking.length > 0) throw new Error(`Requests that blocked the event loop:\n${blocking.join('\n')}`)
    },
  }
  return world
}

/**
 * A worker retains the modules of every test file it has run, and with them their worlds. Hundreds of closed servers
 * would make each garbage collection take a second.
 */
const forget = (world: World): void => {
  for (const name of Object.keys(world)) if (name !== 'close') Reflect.deleteProperty(world, name)
  world.close = async () => {}
}
