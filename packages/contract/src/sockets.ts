// Schemas of live sockets: the bidirectional connection between a caller and a running stream function.
import Type, { type Static } from 'typebox'
import { baseFields, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'

export const socketOutcomes = ['client_closed', 'worker_closed', 'drained', 'never_paired', 'task_ended'] as const
export type SocketOutcome = (typeof socketOutcomes)[number]

export const LiveSocket = Type.Object({
  ...baseFields,
  ...permissionFields,
  task_id: Type.String(),
  relay: Type.String(),
  status: StringEnum(['pending', 'open', 'closed']),
  paired_at: Type.Optional(Nullable(Timestamp)),
  ended_at: Type.Optional(Nullable(Timestamp)),
  outcome: Type.Optional(Type.Unsafe<SocketOutcome | null>({ type: ['string', 'null'] })),
  close_code: Type.Optional(Nullable(Type.Integer())),
  close_reason: Type.Optional(Nullable(Type.String())),
  client_frames: Type.Integer(),
  client_bytes: Type.Integer(),
  worker_frames: Type.Integer(),
  worker_bytes: Type.Integer(),
})
export type LiveSocket = Static<typeof LiveSocket>
