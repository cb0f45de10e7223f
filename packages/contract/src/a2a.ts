// Schemas of the route for clients of the Agent2Agent protocol. Its parameters are read by the protocol's own library.
import Type, { type Static } from 'typebox'
import { Json, JsonObject, PathText } from './common.ts'

// Not `id`, which is the id of the call in the body.
export const AgentPath = Type.Object({ agentId: PathText })

export const JsonRpcCall = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Integer()])),
  method: Type.String({
    maxLength: 100,
    description: 'A method of version 1.0 (`SendMessage`) or of version 0.3 (`message/send`)',
  }),
  params: Type.Optional(JsonObject),
})
export type JsonRpcCall = Static<typeof JsonRpcCall>

export const JsonRpcAnswer = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Json),
  result: Type.Optional(Json),
  error: Type.Optional(Json),
})
export type JsonRpcAnswer = Static<typeof JsonRpcAnswer>
