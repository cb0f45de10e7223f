// JSON-RPC requests and notifications in both directions over lines of JSON.
import { type DriverStart, recordOf, startProgram, textOf } from './driver.ts'

export type Rpc = {
  request(method: string, params: object): Promise<Record<string, unknown>>
  notify(method: string, params: object): void
  answer(id: unknown, result: object): void
  kill(): void
}

export type RpcEvents = {
  notice(method: string, params: Record<string, unknown>): void
  /** False if the method is unknown. */
  asked(id: unknown, method: string, params: Record<string, unknown>): boolean
  ended(error: string): void
}

const unknownMethod = { code: -32_601, message: 'Method not found' }

export const startRpc = (start: DriverStart, args: readonly string[], events: RpcEvents): Rpc => {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  let lastId = 0
  const onMessage = (value: Record<string, unknown>): void => {
    const { id, method, params, result, error } = value
    if (typeof method === 'string') {
      if (id === undefined) events.notice(method, recordOf(params))
      else if (!events.asked(id, method, recordOf(params))) program.say({ jsonrpc: '2.0', id, error: unknownMethod })
      return
    }
    const asked = waiting.get(Number(id))
    waiting.delete(Number(id))
    if (error === undefined) asked?.resolve(recordOf(result))
    else asked?.reject(new Error(textOf(recordOf(error).message) || 'the coding agent refused'))
  }
  const program = startProgram(start, args, onMessage, (error) => {
    for (const { reject } of waiting.values()) reject(new Error(error || 'the coding agent ended'))
    waiting.clear()
    events.ended(error)
  })
  return {
    request: (method, params) => {
      lastId += 1
      const asked = Promise.withResolvers<Record<string, unknown>>()
      waiting.set(lastId, asked)
      program.say({ jsonrpc: '2.0', id: lastId, method, params })
      return asked.promise
    },
    notify: (method, params) => program.say({ jsonrpc: '2.0', method, params }),
    answer: (id, result) => program.say({ jsonrpc: '2.0', id, result }),
    kill: program.kill,
  }
}
