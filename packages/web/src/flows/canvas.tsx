// The canvas: nodes that are dragged, lines that are drawn from port to port. What is done here becomes actions.
import type { App } from '@millrace/contract/apps'
import type { FlowAction, FlowGraph } from '@millrace/contract/flows'
import {
  Background,
  Controls,
  type Edge,
  type IsValidConnection,
  ReactFlow,
  useNodesState,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import '@xyflow/react/dist/style.css'
import { useIsDark } from '../shell/theme.ts'
import { freshKey, inputsOf, linesOf, openPort, outputsOf, typesFit, wholePort } from './graph-model.ts'
import { type CardNode, NodeCard } from './node-card.tsx'
import type { Act } from './use-flow.ts'

const nodeTypes = { card: NodeCard }

const titleOf = (graph: FlowGraph, id: string, apps: ReadonlyMap<string, App>): string => {
  const app = apps.get(graph.node_data[id]?.app_id ?? '')
  return app ? `${id} · ${app.title || app.name}` : id
}

const cardsOf = (
  graph: FlowGraph,
  apps: ReadonlyMap<string, App>,
  statuses: Readonly<Record<string, string>> | undefined,
): CardNode[] =>
  graph.nodes.map((node) => {
    const app = apps.get(graph.node_data[node.id]?.app_id ?? '')
    return {
      id: node.id,
      type: 'card',
      position: node.position,
      data: {
        title: titleOf(graph, node.id, apps),
        type: node.type,
        inputs: inputsOf(graph, node, app),
        outputs: outputsOf(graph, node, app),
        status: statuses === undefined ? undefined : (statuses[node.id] ?? 'pending'),
      },
    }
  })

const edgesOf = (graph: FlowGraph, statuses: Readonly<Record<string, string>> | undefined): Edge[] =>
  linesOf(graph).map(({ id, source, sourceKey, target, targetKey }) => ({
    id,
    source,
    target,
    sourceHandle: sourceKey,
    targetHandle: targetKey,
    animated: statuses?.[target] === 'running',
  }))

const fit = { maxZoom: 1, padding: 0.2 }

/** A window that gets narrower or wider, as a turned phone does, shows the whole graph again. */
const KeepInView = () => {
  const width = useStore((state) => state.width)
  const { fitView } = useReactFlow()
  useEffect(() => {
    if (width > 0) void fitView(fit)
  }, [width, fitView])
  return null
}

type CanvasProps = {
  graph: FlowGraph
  apps: ReadonlyMap<string, App>
  statuses: Readonly<Record<string, string>> | undefined
  /** Absent where the graph is only looked at: a past run. */
  act: Act | undefined
  onChoose: (id: string | undefined) => void
}

export const Canvas = ({ graph, apps, statuses, act, onChoose }: CanvasProps) => {
  const dark = useIsDark()
  const drawn = useMemo(() => cardsOf(graph, apps, statuses), [graph, apps, statuses])
  const edges = useMemo(() => edgesOf(graph, statuses), [graph, statuses])
  const [nodes, setNodes, onNodesChange] = useNodesState<CardNode>(drawn)
  useEffect(
    () =>
      setNodes((held) => {
        const chosen = new Set(held.filter(({ selected }) => selected).map(({ id }) => id))
        return drawn.map((node) => ({ ...node, selected: chosen.has(node.id) }))
      }),
    [drawn, setNodes],
  )
  const portType = (nodeId: string, key: string, side: 'inputs' | 'outputs'): string =>
    drawn.find(({ id }) => id === nodeId)?.data[side].find((port) => port.key === key)?.type ?? 'any'
  const isValid: IsValidConnection = ({ source, target, sourceHandle, targetHandle }) =>
    source !== target &&
    typesFit(portType(source, sourceHandle ?? '', 'outputs'), portType(target, targetHandle ?? '', 'inputs'))
  const removeLines = (gone: readonly Edge[]) => {
    const lines = new Map(linesOf(graph).map((line) => [line.id, line]))
    const actions = gone.flatMap(({ id }): FlowAction[] => {
      const line = lines.get(id)
      if (!line) return []
      return line.edgeId !== undefined
        ? [{ type: 'edge.remove', payload: { id: line.edgeId } }]
        : [{ type: 'node.clear_input', payload: { node_id: line.target, input_key: line.targetKey } }]
    })
    if (actions.length > 0) void act?.(...actions)
  }
  return (
    <ReactFlow<CardNode>
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={dark ? 'dark' : 'light'}
      onNodesChange={onNodesChange}
      nodesDraggable={act !== undefined}
      nodesConnectable={act !== undefined}
      deleteKeyCode={act === undefined ? null : ['Delete', 'Backspace']}
      isValidConnection={isValid}
      onConnect={({ source, target, sourceHandle, targetHandle }) => {
        const key =
          targetHandle === openPort || targetHandle === null
            ? freshKey(graph, target, sourceHandle ?? wholePort)
            : targetHandle
        const connection = { nodeId: source, key: sourceHandle ?? wholePort }
        void act?.({ type: 'node.set_input', payload: { node_id: target, input_key: key, input: { connection } } })
      }}
      onNodeDragStop={(_event, _node, moved) => {
        const positions = Object.fromEntries(moved.map(({ id, position }) => [id, position]))
        void act?.({ type: 'node.move_many', payload: { positions } })
      }}
      onEdgesDelete={removeLines}
      onNodesDelete={(gone) => void act?.(...gone.map(({ id }) => ({ type: 'node.remove', payload: { id } })))}
      onNodeClick={(_event, { id }) => onChoose(id)}
      onPaneClick={() => onChoose(undefined)}
      fitView
      fitViewOptions={fit}
      minZoom={0.2}
      proOptions={{ hideAttribution: false }}
    >
      <KeepInView />
      <Background gap={16} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}
