// One trigger: its address or times, firing it by hand, and the log of its fires with their reasons and replay.
import type { Trigger, TriggerFire } from '@millrace/contract/triggers'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { Play, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CodeEditor } from '../ui/code.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { notifyProblem } from '../ui/notify.ts'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge, Status, type Tone } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { FiltersPanel } from './filters-panel.tsx'
import { nextTimes, whenText } from './when.ts'

const tones: Readonly<Record<TriggerFire['status'], Tone>> = { success: 'ok', error: 'bad', filtered: 'off' }

const RunLink = ({ fire }: { fire: Pick<TriggerFire, 'task_id' | 'flow_run_id'> & { flowId: string | undefined } }) => {
  if (fire.task_id)
    return (
      <Link to="/runs/$id" params={{ id: fire.task_id }} className="text-accent hover:underline">
        run {fire.task_id.slice(0, 8)}
      </Link>
    )
  if (fire.flow_run_id && fire.flowId)
    return (
      <Link
        to="/flows/$id"
        params={{ id: fire.flowId }}
        search={{ run: fire.flow_run_id }}
        className="text-accent hover:underline"
      >
        flow run {fire.flow_run_id.slice(0, 8)}
      </Link>
    )
  return null
}

/** Sends to the hook's own address, as the service will: what comes of it shows in the log below. */
const SendTest = ({ trigger }: { trigger: Trigger }) => {
  const client = useQueryClient()
  const [body, setBody] = useState('{\n  "text": "a first delivery"\n}')
  const [answer, setAnswer] = useState<string>()
  const address = new URL(trigger.webhook_url ?? '/', location.href)
  const send = async () => {
    try {
      const response = await fetch(address.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      setAnswer(`${response.status} ${await response.text()}`)
      await client.invalidateQueries({ queryKey: ['trigger_fires'] })
    } catch (error) {
      notifyProblem(error)
    }
  }
  return (
    <Panel title="Send a test">
      <div className="flex flex-col gap-3">
        <CodeEditor label="What is sent" value={body} onChange={setBody} />
        <Button className="self-start" onClick={() => void send()}>
          Send it to the address
        </Button>
        {answer === undefined ? null : <CodeBlock text={answer} label="Answer" />}
      </div>
    </Panel>
  )
}

const Times = ({ trigger }: { trigger: Trigger }) => {
  const zone = typeof trigger.config.timezone === 'string' ? trigger.config.timezone : 'UTC'
  return (
    <Panel title="Next times">
      <ol className="figures">
        {nextTimes(String(trigger.config.expression ?? ''), zone, 5).map((time) => (
          <li key={time.getTime()}>
            {time.toLocaleString(undefined, { timeZone: zone, dateStyle: 'full', timeStyle: 'short' })}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const Fires = ({ trigger }: { trigger: Trigger }) => {
  const [opened, setOpened] = useState<TriggerFire | null>(null)
  const list = useList('trigger_fires.list', {
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'trigger_id', operator: 'eq', value: trigger.id }],
  })
  const replay = useAct({
    work: (id: string) => call('trigger_fires.replay', { path: { id } }),
    touches: ['trigger_fires', 'triggers'],
    done: 'Fired again',
  })
  const columns: Column<TriggerFire>[] = [
    {
      id: 'status',
      header: 'Came of it',
      width: '120px',
      cell: ({ status }) => <Status tone={tones[status]}>{status}</Status>,
    },
    {
      id: 'reason',
      header: 'Reason',
      width: '2fr',
      wide: true,
      cell: ({ error }) => <span className="text-soft">{error}</span>,
    },
    { id: 'run', header: 'Run', cell: (fire) => <RunLink fire={{ ...fire, flowId: trigger.flow_id }} /> },
    {
      id: 'took',
      header: 'Took',
      width: '80px',
      wide: true,
      end: true,
      cell: ({ duration_ms }) => durationText(duration_ms),
    },
    { id: 'time', header: 'When', width: '90px', end: true, cell: ({ created_at }) => <Ago time={created_at} /> },
    {
      id: 'act',
      header: '',
      width: '40px',
      end: true,
      cell: ({ id }) => (
        <Button look="quiet" label="Replay" onClick={() => replay.mutate(id)}>
          <RotateCcw aria-hidden />
        </Button>
      ),
    },
  ]
  return (
    <Panel
      title="Fires"
      flush
      actions={
        <Button look="quiet" onClick={list.refetch}>
          Refresh
        </Button>
      }
    >
      <Table
        label="Fires"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        empty={<Empty title="It has not fired yet" />}
      />
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title="What arrived" wide>
        {opened ? <JsonView value={opened.payload ?? null} /> : null}
      </Dialog>
    </Panel>
  )
}

const TriggerPage = () => {
  const { id } = useParams({ from: '/triggers/$id' })
  const router = useRouter()
  const { data: trigger } = useSuspenseQuery(read('triggers.get', { path: { id } }))
  const fire = useAct({
    work: () => call('triggers.fire', { path: { id }, body: {} }),
    touches: ['trigger_fires', 'triggers'],
    done: 'Fired',
  })
  const set = useAct({
    work: (enabled: boolean) => call('triggers.update', { path: { id }, body: { enabled } }),
    touches: ['triggers'],
  })
  return (
    <Page
      title={trigger.name}
      trail={
        <Link to="/triggers" className="hover:underline">
          Triggers
        </Link>
      }
      note={
        <span className="flex items-center gap-2">
          <Badge>{trigger.type}</Badge> {whenText(trigger)} {trigger.enabled ? null : <Badge tone="warn">off</Badge>}
        </span>
      }
      actions={
        <>
          <Button busy={set.isPending} onClick={() => set.mutate(!trigger.enabled)}>
            {trigger.enabled ? 'Turn off' : 'Turn on'}
          </Button>
          <Button busy={fire.isPending} onClick={() => fire.mutate()}>
            <Play aria-hidden /> Fire now
          </Button>
          <ConfirmButton
            label="Delete"
            title={`Delete ${trigger.name}?`}
            confirm="Delete"
            act={async () => {
              await call('triggers.delete', { path: { id } })
              await router.navigate({ to: '/triggers' })
            }}
          >
            It fires no more; a webhook’s address answers as if it had never been. Runs it has started stay.
          </ConfirmButton>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {trigger.webhook_url ? (
          <Panel title="Address to send to">
            <CodeBlock text={trigger.webhook_url} label="Address" />
          </Panel>
        ) : null}
        {trigger.type === 'cron' ? <Times trigger={trigger} /> : null}
        {trigger.type === 'webhook' ? <SendTest trigger={trigger} /> : null}
        {trigger.type === 'webhook' ? <FiltersPanel key={trigger.id} trigger={trigger} /> : null}
        <Fires trigger={trigger} />
      </div>
    </Page>
  )
}

export default TriggerPage
