// A cloud with a broker: the client of docs/protocol/broker.md.

import type { Machine } from '@millrace/contract/broker'
import { StringEnum } from '@millrace/contract/common'
import { instanceStatuses } from '@millrace/contract/instances'
import Type from 'typebox'
import { compile } from '#platform/core/validate.ts'
import { type BrokerAddress, type BrokerAnswer, callBroker, isGood } from '../instances/service.ts'
import { type InstanceFacts, LaunchFailed, type MachineStatus, type Provider } from './provider.ts'

const factFields = {
  status: StringEnum(instanceStatuses),
  cloud_assigned_id: Type.Optional(Type.String({ maxLength: 500 })),
  ip: Type.Optional(Type.String({ maxLength: 100 })),
  ssh_user: Type.Optional(Type.String({ maxLength: 100 })),
  ssh_port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  interruption_at: Type.Optional(Type.String({ format: 'date-time' })),
}

const isFacts = compile<InstanceFacts>(Type.Object(factFields))
const isLaunched = compile<InstanceFacts>(
  Type.Object({ ...factFields, cloud_assigned_id: Type.String({ minLength: 1, maxLength: 500 }) }),
)
const isListed = compile<{ instances: { id: string }[] }>(
  Type.Object({ instances: Type.Array(Type.Object({ id: Type.String() }), { maxItems: 100_000 }) }),
)

const isRunningOn = ({ status }: InstanceFacts): boolean => status !== 'deleted' && status !== 'error'

/** Null means that the broker does not know the value. */
const known = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body

const path = (id: string): string => `/instances/${encodeURIComponent(id)}`

const statusOf = (answer: BrokerAnswer): MachineStatus => {
  const body = known(answer.body)
  if (answer.status === 404) return { kind: 'gone' }
  if (!isGood(answer)) return { kind: 'unknown', why: `the broker answered ${answer.status}` }
  if (!isFacts(body)) return { kind: 'unknown', why: 'the broker’s answer has no known status' }
  return body.status === 'deleted' ? { kind: 'gone' } : { kind: 'there', facts: body }
}

export const createHttpProvider = (broker: BrokerAddress): Provider => ({
  launch: async ({ configuration: _, ...machine }: Machine) => {
    const answer = await callBroker(broker, 'PUT', path(machine.id), machine).catch((cause: unknown) => {
      throw new LaunchFailed('the broker did not answer', false, cause)
    })
    const body = known(answer.body)
    if (!isGood(answer)) throw new LaunchFailed(`the broker answered ${answer.status}`, answer.status < 500)
    if (!isLaunched(body)) throw new LaunchFailed('the broker’s answer does not identify a machine', false)
    if (!isRunningOn(body)) throw new LaunchFailed(`the machine is ${body.status}`, false)
    return body
  },
  getStatus: async (id) =>
    callBroker(broker, 'GET', path(id)).then(statusOf, () => ({ kind: 'unknown', why: 'the broker did not answer' })),
  remove: async (id) =>
    callBroker(broker, 'DELETE', path(id)).then(
      (answer) => isGood(answer) || answer.status === 404,
      () => false,
    ),
  list: async () => {
    const answer = await callBroker(broker, 'GET', '/instances').catch(() => null)
    if (!answer || !isGood(answer) || !isListed(answer.body)) return null
    return answer.body.instances.map(({ id }) => id)
  },
})
