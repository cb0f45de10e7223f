// The schema that an app process returns on GET /schema.

import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

const JsonSchema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])

export const AppFunction = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  kind: Type.Union([Type.Literal('run'), Type.Literal('stream')]),
  input_schema: JsonSchema,
  output_schema: JsonSchema,
  file_inputs: Type.Union([Type.Literal('app'), Type.Literal('engine')]),
})
export type AppFunction = Static<typeof AppFunction>

export const AppSchema = Type.Object({
  setup_schema: JsonSchema,
  functions: Type.Record(Type.String(), AppFunction),
})
export type AppSchema = Static<typeof AppSchema>

const check = Compile(AppSchema)

export const parseAppSchema = (value: unknown): AppSchema => {
  if (!check.Check(value)) throw new Error('the app process returned an invalid description of itself')
  return value
}
