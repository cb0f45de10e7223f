// The canvas: draggable nodes and connections between their ports. Every change becomes an action.
import type { FlowAction, FlowGraph } from '@millrace/contract/flows'
import {
  Background,
  Controls,
  type Edge,
  ReactFlow,
  type ReactFlowProps,
  useEdgesState,
  useNodesState,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import '@xyflow/react/dist/style.css'
import { useIsDark } from '../shell/theme.ts'
import { showNotice } from '../ui/notify.ts'
import { useDragByHand } from './drag-by-hand.ts'
import {
  afterPort,
  type GraphResources,
  inputsOf,
  isFixed,
  linesOf,
  openPort,
  outputsOf,
  uniqueKey,
  wholePort,
} from './graph-model.ts'
import { keepCards, movedCards } from './keep-cards.ts'
import { type CardNode, NodeCard } from './node-card.tsx'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'
import { connect, orderAfter, refusalOf, sourceText } from './wiring.ts'

const words = strings.editor

const nodeTypes = { card: NodeCard }

const titleOf = (graph: FlowGraph, id: string, { apps, agents }: GraphResources): string => {
  const { app_id = '', agent_id = '' } = graph.node_data[id] ?? {}
  const behind = apps.get(app_id) ?? agents.get(agent_id)
  return behind ? `${id} · ${behind.title || behind.name}` : id
}

const cardsOf = (
  graph: FlowGraph,
  known: GraphResources,
  statuses: Readonly<Record<string, string>> | undefined,
): CardNode[] =>
  graph.nodes.map((node) => ({
    id: node.id,
    type: 'card',
    position: node.position,
    deletable: !isFixed(node),
    data: {
      title: titleOf(graph, node.id, known),
      type: node.type,
      inputs: inputsOf(graph, node, known),
      outputs: outputsOf(graph, node, known),
      status: statuses === undefined ? undefined : (statuses[node.id] ?? 'pending'),
    },
  }))

const edgesOf = (graph: FlowGraph, statuses: Readonly<Record<string, string>> | undefined): Edge[] =>
  linesOf(graph).map(({ id, source, sourceKey, target, targetKey }) => ({
    id,
    source,
    target,
    sourceHandle: sourceKey,
    targetHandle: targetKey,
    ariaLabel: words.connection(
      sourceText({ nodeId: source, key: sourceKey }),
      sourceText({ nodeId: target, key: targetKey === openPort || targetKey === afterPort ? wholePort : targetKey }),
    ),
    animated: statuses?.[target] === 'running',
  }))

const fit = { maxZoom: 1, padding: 0.2 }

/** Fits the graph into the window again when its width changes, for example on a rotated phone. */
const KeepInView = () => {
  const width = useStore((state) => state.width)
  const { fitView } = useReactFlow()
  useEffect(() => {
    if (width > 0) void fitView(fit)
  }, [width, fitView])
  return null
}

/** Below this zoom, the text of a port is not readable. */
const farZoom = 0.4

/** Hides small text while zoomed out: it is not readable and costs time in each frame. */
const MarkZoomedOut = () => {
  const isFar = useStore((state) => state.transform[2] < farZoom)
  const board = useStore((state) => state.domNode)
  useEffect(() => void board?.toggleAttribute('data-far', isFar), [board, isFar])
  return null
}

type CanvasProps = {
  graph: FlowGraph
  known: GraphResources
  statuses: Readonly<Record<string, string>> | undefined
  /** Absent when the graph is read-only: a past run. */
  act: Act | undefined
  onChoose: (id: string | undefined) => void
}

type Handlers = Pick<
  ReactFlowProps<CardNode>,
  | 'isValidConnection'
  | 'onConnect'
  | 'onConnectEnd'
  | 'onNodeDragStop'
  | 'onEdgesDelete'
  | 'onNodesDelete'
  | 'onNodeClick'
  | 'onPaneClick'
  | 'onKeyDown'
>

type Move = (moved: readonly CardNode[]) => void

const moveBy =
  (act: Act | undefined): Move =>
  (moved) => {
    const positions = Object.fromEntries(moved.map(({ id, position }) => [id, position]))
    void act?.({ type: 'node.move_many', payload: { positions } })
  }

type Ends = { source: string; target: string; sourceHandle?: string | null; targetHandle?: string | null }

/** Turns gestures of the user into actions. */
const handlersFor = (
  { graph, act, onChoose }: Pick<CanvasProps, 'graph' | 'act' | 'onChoose'>,
  drawn: readonly CardNode[],
): Handlers => {
  const portType = (nodeId: string, key: string, side: 'inputs' | 'outputs'): string =>
    drawn.find(({ id }) => id === nodeId)?.data[side].find((port) => port.key === key)?.type ?? 'any'
  const refusalFor = ({ source, target, sourceHandle, targetHandle }: Ends): string | undefined =>
    refusalOf(graph, {
      source,
      target,
      outputType: portType(source, sourceHandle ?? '', 'outputs'),
      inputType: portType(target, targetHandle ?? '', 'inputs'),
    })
  return {
    isValidConnection: (connection) => refusalFor(connection) === undefined,
    onConnectEnd: (_event, { isValid, fromHandle, toHandle }) => {
      if (isValid !== false || !fromHandle || !toHandle) return
      const [output, input] = fromHandle.type === 'source' ? [fromHandle, toHandle] : [toHandle, fromHandle]
      const reason = refusalFor({
        source: output.nodeId,
        sourceHandle: output.id ?? null,
        target: input.nodeId,
        targetHandle: input.id ?? null,
      })
      if (reason !== undefined) showNotice({ kind: 'error', words: reason, id: 'connection' })
    },
    onConnect: ({ source: nodeId, target, sourceHandle, targetHandle }) => {
      const source = { nodeId, key: sourceHandle ?? wholePort }
      if (targetHandle === afterPort) return void act?.(orderAfter(graph, target, source))
      const isOpen = targetHandle === openPort || targetHandle === null
      void act?.(connect(target, isOpen ? uniqueKey(graph, target, source.key) : targetHandle, source))
    },
    onNodeDragStop: (_event, _node, moved) => moveBy(act)(moved),
    onEdgesDelete: (gone) => {
      const lines = new Map(linesOf(graph).map((line) => [line.id, line]))
      const actions = gone.flatMap(({ id }): FlowAction[] => {
        const line = lines.get(id)
        if (!line) return []
        return line.edgeId !== undefined
          ? [{ type: 'edge.remove', payload: { id: line.edgeId } }]
          : [{ type: 'node.clear_input', payload: { node_id: line.target, input_key: line.targetKey } }]
      })
      if (actions.length > 0) void act?.(...actions)
    },
    onNodesDelete: (gone) => void act?.(...gone.map(({ id }) => ({ type: 'node.remove' as const, payload: { id } }))),
    onNodeClick: (_event, { id }) => onChoose(id),
    onPaneClick: () => onChoose(undefined),
    // Enter selects the focused card, as a click does.
    onKeyDown: ({ key, target }) => {
      if (key === 'Enter' && target instanceof HTMLElement && target.matches('.react-flow__node'))
        onChoose(target.dataset.id)
    },
  }
}

/** Keeps the selection of connections when the graph is replaced. */
const keepChosen = (previous: readonly Edge[], lines: readonly Edge[]): Edge[] => {
  const chosen = new Set(previous.flatMap(({ id, selected }) => (selected ? [id] : [])))
  return lines.map((line) => (chosen.has(line.id) ? { ...line, selected: true } : line))
}

const deleteKeys = ['Delete', 'Backspace']
const attribution = { hideAttribution: false }

type BoardProps = { drawn: CardNode[]; lines: Edge[]; handlers: Handlers; editable: boolean; onMove: Move }

/**
 * Renders with each step of a drag, so its props must stay the same objects: React Flow passes a new function on to
 * every node and port of the graph.
 */
const Board = ({ drawn, lines, handlers, editable, onMove }: BoardProps) => {
  const dark = useIsDark()
  const [nodes, setNodes, tellNodes] = useNodesState<CardNode>(drawn)
  useEffect(() => setNodes((previous) => keepCards(previous, drawn)), [drawn, setNodes])
  const [edges, setEdges, onEdgesChange] = useEdgesState(lines)
  useEffect(() => setEdges((previous) => keepChosen(previous, lines)), [lines, setEdges])
  const board = useRef<HTMLDivElement>(null)
  const onNodesChange = useDragByHand(board, { nodes, edges }, tellNodes)
  const onKeyUp = ({ key, target }: KeyboardEvent): void => {
    if (!editable || !key.startsWith('Arrow') || !(target instanceof HTMLElement)) return
    if (!target.matches('.react-flow__node, .react-flow__nodesselection-rect')) return
    const moved = movedCards(nodes, drawn)
    if (moved.length > 0) onMove(moved)
  }
  return (
    <ReactFlow<CardNode>
      {...handlers}
      ref={board}
      onKeyUp={onKeyUp}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={dark ? 'dark' : 'light'}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      nodesDraggable={editable}
      nodesConnectable={editable}
      deleteKeyCode={editable ? deleteKeys : null}
      fitView
      fitViewOptions={fit}
      minZoom={0.1}
      proOptions={attribution}
    >
      <KeepInView />
      <MarkZoomedOut />
      <Background gap={16} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}

export const Canvas = ({ graph, known, statuses, act, onChoose }: CanvasProps) => {
  const drawn = useMemo(() => cardsOf(graph, known, statuses), [graph, known, statuses])
  const lines = useMemo(() => edgesOf(graph, statuses), [graph, statuses])
  const handlers = handlersFor({ graph, act, onChoose }, drawn)
  return <Board drawn={drawn} lines={lines} handlers={handlers} editable={act !== undefined} onMove={moveBy(act)} />
}
