// Schemas of the route for AG-UI clients. Requests are read leniently: fields without a meaning here are ignored.
import Type, { type Static } from 'typebox'
import { JsonObject, PathText } from './common.ts'

const Text = Type.String({ maxLength: 4_000_000 })
const Name = Type.String({ maxLength: 256 })

const Source = Type.Object({ type: Name, value: Text, mimeType: Type.Optional(Name) })

export const AgUiPart = Type.Object({
  type: Name,
  text: Type.Optional(Text),
  source: Type.Optional(Source),
})
export type AgUiPart = Static<typeof AgUiPart>

export const AgUiMessage = Type.Object({
  role: Name,
  // A message of an activity has an object.
  content: Type.Optional(Type.Union([Text, Type.Array(AgUiPart, { maxItems: 1024 }), JsonObject])),
  toolCallId: Type.Optional(Name),
  toolCalls: Type.Optional(
    Type.Array(Type.Object({ id: Name, function: Type.Object({ name: Name, arguments: Text }) }), { maxItems: 128 }),
  ),
})
export type AgUiMessage = Static<typeof AgUiMessage>

export const AgentPath = Type.Object({ agentId: PathText })

export const RunAgentInput = Type.Object({
  threadId: Type.String({ minLength: 1, maxLength: 256 }),
  runId: Type.String({ minLength: 1, maxLength: 256 }),
  protocolVersion: Type.Optional(Name),
  messages: Type.Array(AgUiMessage, { minItems: 1, maxItems: 4096 }),
  tools: Type.Optional(
    Type.Array(
      Type.Object({
        name: Name,
        description: Type.Optional(Type.String({ maxLength: 20_000 })),
        parameters: Type.Optional(JsonObject),
      }),
      { maxItems: 128 },
    ),
  ),
  context: Type.Optional(Type.Array(Type.Object({ description: Type.Optional(Text), value: Text }), { maxItems: 128 })),
})
export type RunAgentInput = Static<typeof RunAgentInput>

export const AgUiEvent = Type.Object({
  type: Type.String({ description: 'Such as `RUN_STARTED`; the other fields depend on it' }),
  threadId: Type.Optional(Type.String()),
  runId: Type.Optional(Type.String()),
  messageId: Type.Optional(Type.String()),
})
export type AgUiEvent = Static<typeof AgUiEvent>
