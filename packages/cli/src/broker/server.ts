// A broker over HTTP: docs/protocol/broker.md. The driver decides what starts where.

import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Machine } from '@millrace/contract/broker'
import { type Driver, isId } from './driver.ts'

const maxBytes = 1024 * 1024

export type BrokerOptions = {
  readonly token: string
  readonly driver: Driver
  /** The offers, in the form of `PUT /clouds/{key}/types`. */
  readonly types: () => Promise<unknown>
  readonly log: (line: string) => void
}

type Answer = readonly [status: number, body: object]

const notFound: Answer = [404, { error: 'not_found' }]

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

const isAllowed = (request: IncomingMessage, token: string): boolean =>
  timingSafeEqual(hash(request.headers.authorization ?? ''), hash(`Bearer ${token}`))

const readMachine = async (request: IncomingMessage, id: string): Promise<Machine | null> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) return null
    parts.push(part)
  }
  try {
    const machine = JSON.parse(Buffer.concat(parts).toString()) as Machine
    return machine.id === id && isComplete(machine) ? machine : null
  } catch {
    return null
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isComplete = ({ engine, ...machine }: Machine): boolean =>
  isText(machine.name) &&
  isText(machine.cloud_instance_type) &&
  typeof engine === 'object' &&
  engine !== null &&
  [engine.id, engine.name, engine.api_url, engine.api_key].every(isText)

/** Runs the calls for one machine in order, so that no machine is started twice. */
const createSerialQueues = () => {
  const last = new Map<string, Promise<unknown>>()
  return <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(id) ?? Promise.resolve()
    const turn = before.catch(() => undefined).then(work)
    last.set(id, turn)
    const forget = () => void (last.get(id) === turn && last.delete(id))
    turn.then(forget, forget)
    return turn
  }
}

export const createBroker = ({ token, driver, types, log }: BrokerOptions): Server => {
  const inTurn = createSerialQueues()

  const one = async (request: IncomingMessage, id: string): Promise<Answer> => {
    if (request.method === 'PUT') {
      const machine = await readMachine(request, id)
      if (!machine) return [400, { error: 'invalid_request' }]
      log(`create ${id} ${machine.cloud_instance_type} ${machine.region}`)
      return [200, await inTurn(id, () => driver.create(machine))]
    }
    if (request.method === 'GET') {
      const facts = await inTurn(id, () => driver.status(id))
      return facts ? [200, facts] : notFound
    }
    if (request.method !== 'DELETE') return [405, { error: 'method_not_allowed' }]
    log(`delete ${id}`)
    await inTurn(id, () => driver.remove(id))
    return [200, {}]
  }

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (!isAllowed(request, token)) return [401, { error: 'unauthorized' }]
    if (path === '/types' && request.method === 'GET') return [200, (await types()) as object]
    if (path === '/instances' && request.method === 'GET') return [200, { instances: await driver.list() }]
    const id = /^\/instances\/([^/]+)$/.exec(path)?.[1] ?? ''
    return isId(id) ? one(request, id) : notFound
  }

  return createServer((request, reply) => {
    answer(request)
      .catch((error: unknown): Answer => {
        log(`failed: ${request.method} ${request.url}: ${error instanceof Error ? error.message : String(error)}`)
        return [502, { error: 'driver_failed' }]
      })
      .then(([status, body]) =>
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      )
      .catch(() => reply.destroy())
  })
}
