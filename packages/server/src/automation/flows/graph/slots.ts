// The parts of a graph that an action writes, as paths: two writes overlap if one path is a prefix of the other.
import type { GraphAction } from '@millrace/contract/flows'

type Slot = readonly string[]

const slotsOf = ({ type, payload }: GraphAction): Slot[] => {
  switch (type) {
    case 'node.add':
    case 'node.remove':
      return [['node', payload.id]]
    case 'node.move':
      return [['node', payload.id, 'position']]
    case 'node.move_many':
      return Object.keys(payload.positions).map((id) => ['node', id, 'position'])
    case 'node.duplicate':
      return [['node', payload.new_id]]
    case 'node.rename':
      return [
        ['node', payload.old_id],
        ['node', payload.new_id],
      ]
    case 'node.set_app':
      return ['app_id', 'app_version_id', 'function'].map((key) => ['node', payload.node_id, 'data', key])
    case 'node.update':
      return [...Object.keys(payload.patch), ...(payload.unset ?? [])].map((key) => [
        'node',
        payload.node_id,
        'data',
        key,
      ])
    case 'node.set_input':
    case 'node.clear_input':
      return [['node', payload.node_id, 'input', payload.input_key]]
    case 'edge.add':
    case 'edge.remove':
      return [['edge', payload.id]]
    case 'flow.set_input_schema':
      return [['input_schema']]
    case 'flow.set_output_schema':
      return [['output_schema']]
    case 'flow.set_output_mapping':
    case 'flow.remove_output_mapping':
      return [['mapping', payload.field]]
    case 'flow.rename_output_field':
      return [['mapping', payload.old_field], ['mapping', payload.new_field], ['output_schema']]
  }
}

const overlap = (a: Slot, b: Slot): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.every((part, i) => part === long[i])
}

export const writesOverlap = (a: GraphAction, b: GraphAction): boolean =>
  slotsOf(a).some((left) => slotsOf(b).some((right) => overlap(left, right)))
