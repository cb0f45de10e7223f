// Guarantees: an expression is previewed with the inputs of its node in the latest run.
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { FlowGraph } from '@millrace/contract/flows'
import { expect, it } from 'vitest'
import { sampleInput } from './sample.ts'

const at = { x: 0, y: 0 }
const from = (nodeId: string, key?: string) => ({ connection: { nodeId, ...(key === undefined ? {} : { key }) } })
const graph: FlowGraph = {
  nodes: [
    { id: 'start', type: 'inputNode', position: at },
    { id: 'count', type: 'appNode', position: at },
    { id: 'half', type: 'utility', position: at },
    { id: 'sum', type: 'utility', position: at },
  ],
  edges: [],
  node_data: {},
  input: { sum: { n: from('start', 'n'), words: from('count', 'words'), half: from('half', ''), one: 1 } },
  input_schema: null,
  output_schema: null,
  output_mappings: {},
}
const run = {
  input: { n: 7 },
  node_tasks: { count: { task_id: 't', task: { output: { words: 4 } } } },
  node_outputs: { half: { value: 3.5 } },
} as unknown as FlowRun

it('uses the run input, outputs of apps and computed values', () =>
  expect(sampleInput(graph, 'sum', run)).toEqual({ n: 7, words: 4, half: 3.5, one: 1 }))

it('has the fields before the first run', () =>
  expect(sampleInput(graph, 'sum', undefined)).toEqual({ n: null, words: null, half: null, one: 1 }))

it('is empty for a node without inputs', () => expect(sampleInput(graph, 'half', run)).toEqual({}))
