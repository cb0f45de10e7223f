// The toolbar of the editor: add a node, undo, tidy, publish, run, settings.
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { Flow } from '@millrace/contract/flows'
import { useStoreApi } from '@xyflow/react'
import { History, Network, Play, Redo2, Settings, Undo2, Zap } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { type Fault, faultsOf } from '../forms/faults.ts'
import { firstValue, type Schema, simplify } from '../forms/schema.ts'
import { ObjectFields } from '../forms/schema-form.tsx'
import { isTyping } from '../shell/shortcuts.ts'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { AddNode } from './add-node.tsx'
import { FlowSettings } from './flow-settings.tsx'
import { FlowVersions } from './flow-versions.tsx'
import { tidyPositions } from './layout.ts'
import { sizesIn } from './placing.ts'
import { PublishStatus } from './publish-status.tsx'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'

const words = strings.editor

const RunForm = ({ flow, onStarted }: { flow: Flow; onStarted: (id: string) => void }) => {
  const schema = (flow.input_schema ?? { type: 'object' }) as Schema
  const [input, setInput] = useState(() => (firstValue(schema, schema) ?? {}) as Record<string, unknown>)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const start = useAct({
    work: () => call('flow_runs.create', { body: { flow: flow.id, input, version_id: flow.draft_version_id } }),
    touches: ['flow_runs'],
    after: ({ id }) => onStarted(id),
    quiet: true,
  })
  return (
    <Form
      act={start}
      submit={
        <>
          <Play aria-hidden /> {words.start}
        </>
      }
      onSubmit={() => {
        const found = faultsOf(schema, input, schema)
        setFaults(found)
        if (found.length === 0) start.mutate()
      }}
    >
      <ObjectFields
        schema={simplify(schema, schema)}
        root={schema}
        path=""
        value={input}
        faults={faults}
        onChange={(next) => setInput((next ?? {}) as typeof input)}
      />
    </Form>
  )
}

/** Ctrl or ⌘ with Z undoes, with Shift+Z or Y redoes. Text fields keep their own undo. */
const useUndoKeys = (act: Act, enabled: boolean): void => {
  useEffect(() => {
    if (!enabled) return
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && key !== 'y') return
      event.preventDefault()
      void act({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [act, enabled])
}

export const EditorBar = ({
  flow,
  act,
  run,
  onRun,
}: {
  flow: Flow
  act: Act
  run: FlowRun | undefined
  onRun: (id: string | undefined) => void
}) => {
  const [asking, setAsking] = useState(false)
  const [comparing, setComparing] = useState(false)
  const board = useStoreApi()
  const [naming, setNaming] = useState(false)
  useUndoKeys(act, run === undefined)
  const publish = useAct({
    work: () => call('flows.publish', { path: { id: flow.id } }),
    touches: ['flows'],
    done: words.published,
  })
  if (run) return <Button onClick={() => onRun(undefined)}>{words.backToEditing}</Button>
  return (
    <>
      <AddNode flow={flow} act={act} />
      <Button look="quiet" label={words.undo} onClick={() => void act({ type: 'undo' })}>
        <Undo2 aria-hidden />
      </Button>
      <Button look="quiet" label={words.redo} onClick={() => void act({ type: 'redo' })}>
        <Redo2 aria-hidden />
      </Button>
      <Button
        look="quiet"
        label={words.tidy}
        onClick={() =>
          void act({
            type: 'node.move_many',
            payload: { positions: tidyPositions(flow, sizesIn(board.getState().nodes)) },
          })
        }
      >
        <Network aria-hidden />
      </Button>
      <Button look="quiet" label={words.versions} onClick={() => setComparing(true)}>
        <History aria-hidden />
      </Button>
      <Button look="quiet" label={words.settings} onClick={() => setNaming(true)}>
        <Settings aria-hidden />
      </Button>
      <ButtonLink to="/triggers/new" search={{ flow: flow.id }}>
        <Zap aria-hidden /> {words.trigger}
      </ButtonLink>
      <PublishStatus flow={flow} />
      <Button busy={publish.isPending} onClick={() => publish.mutate()}>
        {words.publish}
      </Button>
      <Button look="primary" onClick={() => setAsking(true)}>
        <Play aria-hidden /> {words.run}
      </Button>
      <Dialog open={comparing} onClose={() => setComparing(false)} title={words.versionsTitle} wide>
        <FlowVersions flow={flow} />
      </Dialog>
      <Dialog open={naming} onClose={() => setNaming(false)} title={words.settingsTitle(flow.title || flow.name)}>
        <FlowSettings flow={flow} onDone={() => setNaming(false)} />
      </Dialog>
      <Dialog open={asking} onClose={() => setAsking(false)} title={words.runTitle(flow.title || flow.name)}>
        <RunForm
          flow={flow}
          onStarted={(id) => {
            setAsking(false)
            onRun(id)
          }}
        />
      </Dialog>
    </>
  )
}
