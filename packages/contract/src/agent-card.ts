// The card of an agent in the Agent2Agent protocol.
import Type, { type Static } from 'typebox'

/** For clients of version 1.0 and of version 0.3. */
export const AgentCard = Type.Object({
  name: Type.String(),
  description: Type.String(),
  url: Type.String({ description: 'The JSON-RPC route of the agent' }),
  protocolVersion: Type.String({ description: 'The version of the protocol that clients of version 0.3 read' }),
  preferredTransport: Type.Literal('JSONRPC'),
  supportedInterfaces: Type.Array(
    Type.Object({
      url: Type.String(),
      protocolBinding: Type.Literal('JSONRPC'),
      protocolVersion: Type.String(),
      tenant: Type.String(),
    }),
  ),
  securitySchemes: Type.Record(
    Type.String(),
    Type.Object({
      type: Type.Literal('http'),
      scheme: Type.Literal('bearer'),
      httpAuthSecurityScheme: Type.Object({ scheme: Type.Literal('bearer'), description: Type.String() }),
    }),
  ),
  security: Type.Array(Type.Record(Type.String(), Type.Array(Type.String()))),
  securityRequirements: Type.Array(
    Type.Object({ schemes: Type.Record(Type.String(), Type.Object({ list: Type.Array(Type.String()) })) }),
  ),
  version: Type.String(),
  capabilities: Type.Object({ streaming: Type.Boolean() }),
  defaultInputModes: Type.Array(Type.String()),
  defaultOutputModes: Type.Array(Type.String()),
  skills: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      description: Type.String(),
      tags: Type.Array(Type.String()),
      examples: Type.Array(Type.String()),
    }),
  ),
})
export type AgentCard = Static<typeof AgentCard>
