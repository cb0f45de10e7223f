// The steps of a chat as a graph from left to right. Loaded on demand.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'
import { Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import '@xyflow/react/dist/style.css'
import { useIsDark } from '../shell/theme.ts'
import { layOut } from '../ui/lay-out.ts'
import { StepDuration, StepIcon } from './trace-icon.tsx'
import { nameOfStep } from './trace-rows.ts'

const box = { width: 180, height: 44 }

type StepNode = Node<{ step: TraceNode }>

const Step = ({ data: { step } }: NodeProps<StepNode>) => (
  <div className="rounded border bg-surface px-2 py-1" style={box}>
    <Handle type="target" position={Position.Left} className="!invisible" />
    <span className="flex items-center gap-1.5">
      <StepIcon step={step} />
      <span className="truncate font-medium">{nameOfStep(step)}</span>
    </span>
    <span className="figures text-[11px] text-faint">
      <StepDuration step={step} />
    </span>
    <Handle type="source" position={Position.Right} className="!invisible" />
  </div>
)

const kinds = { step: Step }

const graphOf = ({ nodes, edges }: ChatTrace) => {
  const lines = edges.map(({ id, from_node, to_node }) => ({ id, source: from_node, target: to_node }))
  const places = layOut({ ids: nodes.map(({ id }) => id), lines, box, gaps: { nodes: 16, ranks: 48 } })
  return {
    nodes: nodes.map(
      (step): StepNode => ({ id: step.id, type: 'step', position: places[step.id] ?? { x: 0, y: 0 }, data: { step } }),
    ),
    lines,
  }
}

const TraceGraph = ({ trace, onSelect }: { trace: ChatTrace; onSelect: (id: string) => void }) => {
  const dark = useIsDark()
  const { nodes, lines } = useMemo(() => graphOf(trace), [trace])
  return (
    <ReactFlow
      nodes={nodes}
      edges={lines}
      nodeTypes={kinds}
      colorMode={dark ? 'dark' : 'light'}
      fitView
      fitViewOptions={{ maxZoom: 1 }}
      minZoom={0.1}
      nodesDraggable={false}
      nodesConnectable={false}
      elementsSelectable={false}
      onNodeClick={(_event, { id }) => onSelect(id)}
    />
  )
}

export default TraceGraph
