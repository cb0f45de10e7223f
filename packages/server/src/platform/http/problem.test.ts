import fastify from 'fastify'
import { expect, it } from 'vitest'
import { sendProblem } from './problem.ts'

it('the log shows faults of the server, not aborted requests', async () => {
  const lines: { msg: string; code?: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = fastify({ logger: { level: 'info', stream } })
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, 'http://mill.example'))
  app.get('/broken-off', () => {
    throw Object.assign(new Error('aborted'), { statusCode: 400 })
  })
  app.get('/full', () => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  })
  expect((await app.inject('/broken-off')).json()).toMatchObject({ status: 400 })
  expect((await app.inject('/full')).json()).toMatchObject({ status: 507 })
  await app.close()
  expect(lines.filter(({ msg }) => msg === 'request refused').map(({ code }) => code)).toEqual(['storage_full'])
})
