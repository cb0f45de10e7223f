// The inputs of a node: each is a constant, a connection, or an expression with a live preview.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { Braces, Cable, Unplug } from 'lucide-react'
import { resolve, type Schema } from '../forms/schema.ts'
import { SchemaField } from '../forms/schema-form.tsx'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { Menu } from '../ui/menu.tsx'
import { NodePreview } from './expression-preview.tsx'
import {
  type GraphResources,
  inputsOf,
  isConnection,
  openPort,
  type Port,
  schemasOf,
  uniqueKey,
  wholePort,
} from './graph-model.ts'
import { strings } from './strings.ts'
import { useDraft } from './use-draft.ts'
import type { Act } from './use-flow.ts'
import {
  computeActions,
  connect,
  expressionBehind,
  expressionOf,
  inputText,
  type Source,
  sourcesFor,
  sourceText,
} from './wiring.ts'

const words = strings.inputs

type Part = { flow: Flow; node: FlowNode; known: GraphResources; act: Act }

/** Connects an input by keyboard, or replaces it with an expression where that is possible. */
const FillMenu = ({
  name,
  sources,
  onSource,
  onCompute,
}: {
  name: string
  sources: readonly Source[]
  onSource: (source: Source) => void
  onCompute?: () => void
}) => (
  <Menu
    align="end"
    trigger={
      <Button look="quiet" label={words.connect(name)}>
        <Cable aria-hidden />
      </Button>
    }
    items={[
      { kind: 'heading', label: sources.length === 0 ? words.noSources : words.sources },
      ...sources.map((source) => ({ label: sourceText(source), onSelect: () => onSource(source) })),
      ...(onCompute
        ? [{ kind: 'line' as const }, { label: words.addExpression, icon: Braces, onSelect: onCompute }]
        : []),
    ]}
  />
)

const CutButton = ({ name, onCut }: { name: string; onCut: () => void }) => (
  <Button look="quiet" label={words.disconnect(name)} onClick={onCut}>
    <Unplug aria-hidden />
  </Button>
)

/** Saved on blur, not on each keystroke. */
const ConstantField = ({
  schema,
  root,
  name,
  value,
  onSet,
}: {
  schema: Schema
  root: Schema
  name: string
  value: unknown
  onSet: (value: unknown) => void
}) => {
  const { draft, setDraft, flush } = useDraft(value, onSet)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: leaving any input inside saves it
    <div className="min-w-0 grow" onBlur={flush}>
      <SchemaField
        schema={schema}
        root={root}
        name={name}
        path={name}
        value={draft}
        onChange={setDraft}
        required={false}
        faults={[]}
      />
    </div>
  )
}

const Uses = ({ flow, node, known, act }: Part) => {
  const set = (key: string) => act({ type: 'node.clear_input', payload: { node_id: node.id, input_key: key } })
  return (
    <ul aria-label={words.readBy(node.id)}>
      {Object.entries(flow.input[node.id] ?? {}).map(([key, input]) => (
        <li key={key} className="flex items-center gap-2">
          <code className="font-mono text-[12px]">{inputText(key)}</code>
          <span className="min-w-0 grow truncate text-soft">
            {isConnection(input)
              ? words.from(sourceText({ key: wholePort, ...input.connection }))
              : JSON.stringify(input)}
          </span>
          <CutButton name={inputText(key)} onCut={() => void set(key)} />
        </li>
      ))}
      <li className="flex items-center gap-2">
        <span className="grow text-faint">{words.readAnother}</span>
        <FillMenu
          name={words.anotherFieldOf(node.id)}
          sources={sourcesFor(flow, node.id, 'any', known)}
          onSource={(source) => void act(connect(node.id, uniqueKey(flow, node.id, source.key), source))}
        />
      </li>
    </ul>
  )
}

/** An expression is a node on the canvas. Here it is edited at the input that uses it. */
const ComputedField = ({ flow, node, known, act, name, onCut }: Part & { name: string; onCut: () => void }) => {
  const { draft, setDraft, flush } = useDraft(expressionOf(flow, node.id), (expression) => {
    const utility = { ...flow.node_data[node.id]?.utility, expression }
    void act({ type: 'node.update', payload: { node_id: node.id, patch: { utility } } })
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: several controls of one field, inside of other fields
    <div role="group" aria-label={name} className="flex flex-col gap-2 rounded-md border p-2" onBlur={flush}>
      <div className="flex items-center gap-2">
        <span className="min-w-0 grow truncate">
          <span className="font-medium">{name}</span> <span className="text-soft">{words.by(node.id)}</span>
        </span>
        <CutButton name={name} onCut={onCut} />
      </div>
      <CodeEditor label={words.expressionOf(name)} language="cel" value={draft} onChange={setDraft} minHeight={36} />
      <Uses flow={flow} node={node} known={known} act={act} />
      <NodePreview key={JSON.stringify(flow.input[node.id])} flow={flow} node={node} expression={draft} />
    </div>
  )
}

const InputField = ({ flow, node, known, act, port, root }: Part & { port: Port; root: Schema }) => {
  const { key, type } = port
  const input = flow.input[node.id]?.[key]
  const schema = resolve(root, root)
  const set = (value: unknown) =>
    void act(
      value === undefined
        ? { type: 'node.clear_input', payload: { node_id: node.id, input_key: key } }
        : { type: 'node.set_input', payload: { node_id: node.id, input_key: key, input: value } },
    )
  const computed = expressionBehind(flow, input)
  if (computed)
    return (
      <ComputedField
        key={computed.id}
        flow={flow}
        node={computed}
        known={known}
        act={act}
        name={key}
        onCut={() => set(undefined)}
      />
    )
  return (
    <div className="flex items-start gap-1">
      {isConnection(input) ? (
        <>
          <span className="min-w-0 grow truncate pt-1.5">
            <span className="font-medium">{key}</span>{' '}
            <span className="text-soft">{words.from(sourceText({ key: wholePort, ...input.connection }))}</span>
          </span>
          <CutButton name={key} onCut={() => set(undefined)} />
        </>
      ) : (
        <ConstantField schema={schema.properties?.[key] ?? {}} root={root} name={key} value={input} onSet={set} />
      )}
      <FillMenu
        name={key}
        sources={sourcesFor(flow, node.id, type, known)}
        onSource={(source) => void act(connect(node.id, key, source))}
        onCompute={() => void act(...computeActions(flow, node, key))}
      />
    </div>
  )
}

/**
 * A node that accepts any connection gets one field per connection. The first is drawn on the canvas or chosen here.
 */
const OpenField = ({ flow, node, known, act }: Part) => (
  <div className="flex items-center gap-2">
    <span className="grow text-faint">{words.openHelp}</span>
    <FillMenu
      name={words.anotherField}
      sources={sourcesFor(flow, node.id, 'any', known)}
      onSource={(source) => void act(connect(node.id, uniqueKey(flow, node.id, source.key), source))}
    />
  </div>
)

export const InputFields = ({ flow, node, known, act }: Part) => {
  const root = (schemasOf(flow, node, known)?.input ?? {}) as Schema
  const ports = inputsOf(flow, node, known)
  return (
    <div className="flex flex-col gap-4">
      {ports.map((port) =>
        port.key === openPort ? (
          <OpenField key={openPort} flow={flow} node={node} known={known} act={act} />
        ) : (
          <InputField
            key={`${node.id} ${port.key}`}
            flow={flow}
            node={node}
            known={known}
            act={act}
            port={port}
            root={root}
          />
        ),
      )}
    </div>
  )
}
