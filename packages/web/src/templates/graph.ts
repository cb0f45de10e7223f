// Builds the graph of a template. Pure.
import type { FlowGraph } from '@millrace/contract/flows'
import { from, type Step, type Template } from './template.ts'

type Nodes = FlowGraph['nodes']

const columnWidth = 260
const rowHeight = 160

const refsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  if ('connection' in value) return [(value as { connection: { nodeId: string } }).connection.nodeId]
  return Object.values(value).flatMap(refsIn)
}

const sourcesOf = (step: Step): string[] => [...new Set(refsIn(step.input))]

/** Steps are listed after their sources, so one pass finds the column of each. */
const columnsOf = (steps: readonly Step[]): ReadonlyMap<string, number> => {
  const columns = new Map([['input', 0]])
  for (const step of steps) columns.set(step.id, 1 + Math.max(0, ...sourcesOf(step).map((id) => columns.get(id) ?? 0)))
  return columns
}

const nodesOf = (steps: readonly Step[]): Nodes => {
  const columns = columnsOf(steps)
  const rows = new Map<number, number>()
  const place = (column: number) => {
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return { x: column * columnWidth, y: row * rowHeight }
  }
  const last = Math.max(...columns.values()) + 1
  return [
    { id: 'input', type: 'inputNode', position: place(0) },
    ...steps.map((step) => ({ id: step.id, type: step.type, position: place(columns.get(step.id) ?? 1) })),
    { id: 'output', type: 'outputNode', position: place(last) },
  ]
}

const edgesOf = ({ steps, output }: Template) => {
  const pairs = [
    ...steps.flatMap((step) => sourcesOf(step).map((source) => ({ source, target: step.id }))),
    ...[...new Set(Object.values(output).map(([source]) => source))].map((source) => ({ source, target: 'output' })),
  ]
  return pairs.map(({ source, target }) => ({ id: `${source}-${target}`, type: 'default', source, target }))
}

/** `appIds`: the ids of the apps by their names. Throws when an app is missing. */
export const graphOf = (template: Template, appIds: ReadonlyMap<string, string>) => {
  const appOf = (name: string): string => {
    const id = appIds.get(name)
    if (id === undefined) throw new Error(`The app ${name} is not installed`)
    return id
  }
  return {
    nodes: nodesOf(template.steps),
    edges: edgesOf(template),
    node_data: Object.fromEntries(
      template.steps.map((step) => [step.id, step.type === 'appNode' ? { app_id: appOf(step.app) } : step.data]),
    ),
    input: {
      ...Object.fromEntries(template.steps.map(({ id, input }) => [id, input])),
      output: Object.fromEntries(Object.entries(template.output).map(([field, source]) => [field, from(...source)])),
    },
    input_schema: template.input,
  }
}

/** The names of the apps that a template uses. */
export const appsOf = ({ steps }: Template): string[] => [
  ...new Set(steps.flatMap((step) => (step.type === 'appNode' ? [step.app] : []))),
]
