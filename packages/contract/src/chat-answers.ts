// Schemas of answers to a chat's interrupts, and of always-allow options.
import Type, { type Static } from 'typebox'
import { Rule } from './agents.ts'
import { IdPath, Json, PathText, StringEnum } from './common.ts'

/** A text in `result`, or any JSON as the answer of a widget. */
export const AnswerTool = Type.Object(
  {
    result: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    action: Type.Optional(Json),
    form_data: Type.Optional(Json),
  },
  { additionalProperties: true },
)
export type AnswerTool = Static<typeof AnswerTool>

export const RejectTool = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 10_000 })) })

export const ResolveInterrupt = Type.Object({
  decision: Type.Optional(StringEnum(['allow', 'deny'])),
  resolution: Type.Optional(StringEnum(['allow', 'deny'])),
  data: Type.Optional(Json),
})
export type ResolveInterrupt = Static<typeof ResolveInterrupt>

export const ChatToolPath = Type.Object({ chatId: PathText, id: PathText })
export const ChatRulePath = Type.Object({ ...IdPath.properties, ruleId: PathText })

export const AlwaysAllowOption = Type.Object({
  key: Type.String(),
  scope: StringEnum(['exact', 'prefix', 'tool']),
  label: Type.String(),
  rules: Type.Array(Type.Partial(Rule)),
})
export type AlwaysAllowOption = Static<typeof AlwaysAllowOption>

export const AlwaysAllowOptions = Type.Object({
  options: Type.Array(AlwaysAllowOption),
  default: Type.String({ description: 'Key of the default option; empty if there is none' }),
})
export type AlwaysAllowOptions = Static<typeof AlwaysAllowOptions>

export const AlwaysAllow = Type.Object({
  tool_name: Type.Optional(Type.String({ maxLength: 256 })),
  option: Type.Optional(Type.String({ maxLength: 256 })),
})
export type AlwaysAllow = Static<typeof AlwaysAllow>

export const AlwaysAllowReply = Type.Object({ rules: Type.Array(Rule) })

export const Explanation = Type.Object({
  risk_level: StringEnum(['low', 'medium', 'high']),
  explanation: Type.String(),
  reasoning: Type.String(),
  risk: Type.String(),
})
export type Explanation = Static<typeof Explanation>
