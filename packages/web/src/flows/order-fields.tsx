// The nodes and named outputs after which a node runs, without a value of them: the keyboard's way to draw such an edge.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { Plus, Unplug } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { afterPort, branchOf, type GraphResources, linesOf, outputsOf, wholePort } from './graph-model.ts'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'
import { following, orderAfter, type Source, sourceText } from './wiring.ts'

const words = strings.order

/** The outputs of other nodes that order this one: the end of a node, or a named output. */
const orderSources = (flow: Flow, node: FlowNode, known: GraphResources): Source[] => {
  const later = following(flow, node.id)
  return flow.nodes
    .filter(({ id }) => !later.has(id))
    .flatMap((each) =>
      outputsOf(flow, each, known)
        .filter(({ key }) => key === wholePort || (branchOf(key) ?? 'url') !== 'url')
        .map(({ key }) => ({ nodeId: each.id, key })),
    )
}

export const OrderFields = ({
  flow,
  node,
  known,
  act,
}: {
  flow: Flow
  node: FlowNode
  known: GraphResources
  act: Act
}) => {
  const drawn = linesOf(flow).filter(({ target, targetKey }) => target === node.id && targetKey === afterPort)
  return (
    <div className="flex flex-col gap-2 border-t pt-3">
      <div className="flex items-center gap-2">
        <h2 className="grow font-medium">{words.title}</h2>
        <Menu
          align="end"
          trigger={
            <Button look="quiet" label={words.add}>
              <Plus aria-hidden />
            </Button>
          }
          items={orderSources(flow, node, known).map((source) => ({
            label: sourceText(source),
            onSelect: () => void act(orderAfter(flow, node.id, source)),
          }))}
        />
      </div>
      <ul>
        {drawn.map(({ id, edgeId, source, sourceKey }) => (
          <li key={id} className="flex items-center gap-2">
            <span className="min-w-0 grow truncate text-soft">{sourceText({ nodeId: source, key: sourceKey })}</span>
            <Button
              look="quiet"
              label={words.remove(sourceText({ nodeId: source, key: sourceKey }))}
              onClick={() => void act({ type: 'edge.remove', payload: { id: edgeId ?? id } })}
            >
              <Unplug aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
