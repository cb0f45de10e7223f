// The form of a template: a flow of included apps that runs without keys.
import type { NodeData } from '@millrace/contract/flows'

type Common = {
  id: string
  input: Readonly<Record<string, unknown>>
}

/** `app` is the name of an included app. */
export type Step =
  | (Common & { type: 'appNode'; app: string })
  | (Common & { type: 'gate' | 'selector' | 'merge' | 'utility'; data: NodeData })

type Field = { type: string; title: string; default: unknown; format?: string; items?: object }

export type Template = {
  id: string
  title: string
  /** One sentence: what it is for. */
  text: string
  /** The defaults are an example that runs. */
  input: { type: 'object'; properties: Readonly<Record<string, Field>>; required: readonly string[] }
  steps: readonly Step[]
  /** Output fields with their node and field. */
  output: Readonly<Record<string, readonly [node: string, field: string]>>
}

/** The value of a field of another step; `input` is the input of the flow. */
export const from = (nodeId: string, key: string) => ({ connection: { nodeId, key } })

/** The complete output of another step. */
export const whole = (nodeId: string) => from(nodeId, '')

export const app = (id: string, name: string, input: Common['input']): Step => ({
  type: 'appNode',
  id,
  app: name,
  input,
})

/** Fills a text. A merge collects the values, so that the editor draws where each comes from. */
export const fill = (id: string, template: string, values: Common['input']): Step[] => [
  { type: 'merge', id: `${id}_values`, data: {}, input: values },
  app(id, 'text-template', { template, values: whole(`${id}_values`) }),
]

/** A CEL expression over `input`. */
export const expression = (id: string, code: string, input: Common['input']): Step => ({
  type: 'utility',
  id,
  data: { utility: { expression: code } },
  input,
})

export const fields = (properties: Readonly<Record<string, Field>>): Template['input'] => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

export const text = (title: string, example: string): Field => ({ type: 'string', title, default: example })
export const longText = (title: string, example: string): Field => ({ ...text(title, example), format: 'textarea' })
