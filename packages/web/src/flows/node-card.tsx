// A node on the canvas: its name, its status in the shown run, and its ports.
import type { FlowNode } from '@millrace/contract/flows'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import {
  AppWindow,
  Bot,
  Braces,
  CircleDot,
  Filter,
  Flag,
  GitMerge,
  ListFilter,
  LogIn,
  type LucideIcon,
  Split,
  StickyNote,
  Timer,
  Workflow,
} from 'lucide-react'
import { memo } from 'react'
import { classes } from '../ui/classes.ts'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { needsApproval } from './approvals.ts'
import { afterPort, branchOf, openPort, type Port, wholePort } from './graph-model.ts'
import { strings } from './strings.ts'

const words = strings.editor

export type CardData = {
  title: string
  type: FlowNode['type']
  inputs: readonly Port[]
  outputs: readonly Port[]
  /** Status in the shown run; absent while the graph is edited. */
  status: string | undefined
}
export type CardNode = Node<CardData, 'card'>

export const icons: Readonly<Record<FlowNode['type'], LucideIcon>> = {
  inputNode: LogIn,
  outputNode: Flag,
  appNode: AppWindow,
  agentNode: Bot,
  gate: Filter,
  selector: ListFilter,
  merge: GitMerge,
  constant: CircleDot,
  utility: Braces,
  note: StickyNote,
  switch: Split,
  wait: Timer,
  flow: Workflow,
}

const ring: Readonly<Record<string, string>> = {
  running: 'border-live',
  [needsApproval]: 'border-warn',
  completed: 'border-ok',
  failed: 'border-bad',
  blocked: 'border-line-strong opacity-60',
}

const fixedPorts: Readonly<Record<string, string>> = {
  [openPort]: words.openPort,
  [wholePort]: words.wholePort,
  [afterPort]: words.afterPort,
}

const portText = (key: string): string => {
  const branch = branchOf(key)
  return branch === undefined ? (fixedPorts[key] ?? key) : `→ ${branch}`
}

// In a graph of 200 nodes, each element with clipped text or its own position would become a layer that the browser
// sorts in each frame of a drag. So text is shortened in code, and ports are laid out in their row.
const maxTitleLength = 26
const maxPortLength = 22

const shortText = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const PortRow = ({ port, side }: { port: Port; side: 'in' | 'out' }) => (
  <div
    className={classes(
      'flex h-6 items-center gap-1 whitespace-nowrap px-3 text-[12px]',
      side === 'out' && 'justify-end',
    )}
  >
    <Handle
      id={port.key}
      type={side === 'in' ? 'target' : 'source'}
      position={side === 'in' ? Position.Left : Position.Right}
      className={classes(
        '!static !size-2.5 !transform-none shrink-0 !border-faint !bg-surface',
        side === 'in' ? '-ml-[17px] mr-[3px]' : 'order-last -mr-[17px] ml-[3px]',
      )}
      title={port.type}
    />
    <span
      className={classes(
        'fine-print',
        Object.hasOwn(fixedPorts, port.key) ? 'text-faint' : 'text-soft',
        port.required && side === 'in' && 'needed',
      )}
    >
      {shortText(portText(port.key), maxPortLength)}
    </span>
    {port.type === 'any' ? null : <span className="fine-print text-[11px] text-faint">{port.type}</span>}
  </div>
)

export const NodeCard = memo(({ data, selected }: NodeProps<CardNode>) => {
  const Icon = icons[data.type]
  const name = shortText(data.title, maxTitleLength)
  return (
    <div
      className={classes(
        'w-52 rounded-lg border-2 bg-surface shadow-sm',
        data.status === undefined ? 'border-line-strong' : (ring[data.status] ?? 'border-line-strong'),
        selected && 'outline-2 outline-accent outline-offset-1',
      )}
    >
      <div className="flex items-center gap-2 border-b px-3 py-1.5">
        {data.status === undefined ? (
          <Icon className="fine-print size-4 text-faint" aria-hidden />
        ) : (
          <StatusIcon tone={toneOfNode(data.status)} />
        )}
        <span className="small-name whitespace-nowrap font-medium" title={data.title}>
          {name}
        </span>
        {data.status === undefined ? null : <span className="sr-only">{data.status}</span>}
      </div>
      <div className="py-1" data-name={name}>
        {data.inputs.map((port) => (
          <PortRow key={`in ${port.key}`} port={port} side="in" />
        ))}
        {data.outputs.map((port) => (
          <PortRow key={`out ${port.key}`} port={port} side="out" />
        ))}
      </div>
    </div>
  )
})
