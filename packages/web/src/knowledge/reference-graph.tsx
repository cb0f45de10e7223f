// The references of an entry in both directions as a graph, from left to right. A click opens an entry. Loaded when
// first shown.
import type { ResourceRef } from '@millrace/contract/knowledge'
import { useNavigate } from '@tanstack/react-router'
import { type Edge, type Node, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import '@xyflow/react/dist/style.css'
import { useIsDark } from '../shell/theme.ts'
import { strings } from './strings.ts'

const columnWidth = 300
const rowHeight = 64

type ReferenceGraphProps = { from: readonly ResourceRef[]; center: ResourceRef; to: readonly ResourceRef[] }

const columnOf = (targets: readonly ResourceRef[], column: number, side: string): Node[] =>
  targets.map((target, row) => ({
    id: `${side} ${target.id}`,
    position: { x: column * columnWidth, y: (row - (targets.length - 1) / 2) * rowHeight },
    data: { label: `${target.namespace}/${target.name}`, target },
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
    width: columnWidth - 80,
  }))

const graphOf = ({ from, center, to }: ReferenceGraphProps): { nodes: Node[]; edges: Edge[] } => ({
  nodes: [...columnOf(from, 0, 'from'), ...columnOf([center], 1, 'center'), ...columnOf(to, 2, 'to')],
  edges: [
    ...from.map(({ id }) => ({ id: `from ${id}`, source: `from ${id}`, target: `center ${center.id}` })),
    ...to.map(({ id }) => ({ id: `to ${id}`, source: `center ${center.id}`, target: `to ${id}` })),
  ],
})

const ReferenceGraph = ({ from, center, to }: ReferenceGraphProps) => {
  const dark = useIsDark()
  const navigate = useNavigate()
  const { nodes, edges } = useMemo(() => graphOf({ from, center, to }), [from, center, to])
  const open = ({ type, id, namespace, name }: ResourceRef) => {
    if (type === 'app') return navigate({ to: '/apps/$namespace/$name', params: { namespace, name } })
    return navigate({ to: type === 'agent' ? '/agents/$id' : '/knowledge/$id', params: { id } })
  }
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      colorMode={dark ? 'dark' : 'light'}
      fitView
      fitViewOptions={{ maxZoom: 1 }}
      nodesDraggable={false}
      nodesConnectable={false}
      onNodeClick={(_, { data }) => void open(data.target as ResourceRef)}
      ariaLabelConfig={{ 'node.a11yDescription.default': strings.references.openWithEnter }}
    />
  )
}

export default ReferenceGraph
