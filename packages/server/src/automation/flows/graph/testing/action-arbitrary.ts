// Test support: random graph actions with few names, so that most of them refer to existing objects.
import { type FlowAction, nodeTypes } from '@millrace/contract/flows'
import fc from 'fast-check'

const nodeId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const edgeId = fc.constantFrom('e1', 'e2', 'e3', 'e4')
const inputKey = fc.constantFrom('x', 'y', 'constructor')
const field = fc.constantFrom('out', 'sum', 'text')
const position = fc.record({ x: fc.integer({ min: -9, max: 9 }), y: fc.integer({ min: -9, max: 9 }) })
const connection = fc.record({ connection: fc.record({ nodeId, key: fc.constantFrom('', 'value', 'text') }) })
const connectionWithFallback = fc.record({ connection: fc.record({ nodeId }), value: fc.integer() })
const input = fc.oneof(
  fc.constantFrom(null, 1, 'text', [], {}),
  connection,
  connectionWithFallback,
  fc.record({ list: fc.array(fc.oneof(fc.integer(), connection), { maxLength: 3 }), deep: connection }),
)
const data = fc.record(
  {
    app_id: fc.constantFrom('', 'app1', 'app2'),
    function: fc.constantFrom('run', 'other'),
    utility: fc.constantFrom(null, { preset: 'merge' }, { expression: 'input.x' }),
    additional: fc.constantFrom({ color: 'red' }, null),
  },
  { requiredKeys: [] },
)
const schema = fc.constantFrom(
  null,
  { type: 'object' },
  { type: 'object', properties: { out: { type: 'string' }, sum: {} }, required: ['out'] },
  { type: 'array' },
)

const action = (type: string, payload: fc.Arbitrary<unknown>): fc.Arbitrary<FlowAction> =>
  fc.record({ type: fc.constant(type), payload })

export const graphAction: fc.Arbitrary<FlowAction> = fc.oneof(
  {
    weight: 4,
    arbitrary: action('node.add', fc.record({ id: nodeId, type: fc.constantFrom(...nodeTypes), position, data })),
  },
  { weight: 2, arbitrary: action('node.remove', fc.record({ id: nodeId })) },
  action('node.move', fc.record({ id: nodeId, position })),
  action('node.move_many', fc.record({ positions: fc.dictionary(nodeId, position, { maxKeys: 3 }) })),
  action('node.duplicate', fc.record({ source_id: nodeId, new_id: nodeId, offset: position })),
  action('node.rename', fc.record({ old_id: nodeId, new_id: nodeId })),
  action(
    'node.set_app',
    fc.record({ node_id: nodeId, app_id: fc.constant('app3'), app_version_id: fc.constant('v1') }),
  ),
  action('node.update', fc.record({ node_id: nodeId, patch: data })),
  {
    weight: 4,
    arbitrary: action('node.set_input', fc.record({ node_id: nodeId, input_key: inputKey, input })),
  },
  action('node.clear_input', fc.record({ node_id: nodeId, input_key: inputKey })),
  { weight: 4, arbitrary: action('edge.add', fc.record({ id: edgeId, source: nodeId, target: nodeId })) },
  action('edge.remove', fc.record({ id: edgeId })),
  action('flow.set_input_schema', fc.record({ schema })),
  action('flow.set_output_schema', fc.record({ schema })),
  {
    weight: 2,
    arbitrary: action(
      'flow.set_output_mapping',
      fc.record({ field, mapping: fc.record({ sourceNodeId: nodeId, sourceFieldPath: fc.constant('a.b') }) }),
    ),
  },
  action('flow.remove_output_mapping', fc.record({ field })),
  action('flow.rename_output_field', fc.record({ old_field: field, new_field: field })),
)
