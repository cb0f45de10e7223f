// One trigger: its address or times, firing it by hand, and the log of its fires with their reasons and replay.
import type { Trigger, TriggerFire } from '@millrace/contract/triggers'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { Pencil, Play, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge, Status, type Tone } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { NextTimes } from './clock-part.tsx'
import { EditTrigger } from './edit-trigger.tsx'
import { FiltersPanel } from './filters-panel.tsx'
import { Address, SendTest } from './webhook-part.tsx'
import { clockOf, whenText } from './when.ts'

const tones: Readonly<Record<TriggerFire['status'], Tone>> = { success: 'ok', error: 'bad', filtered: 'off' }

const RunLink = ({
  fire,
}: {
  fire: Pick<TriggerFire, 'task_id' | 'flow_run_id' | 'chat_id'> & { flowId: string | undefined }
}) => {
  if (fire.task_id)
    return (
      <Link to="/runs/$id" params={{ id: fire.task_id }} className="text-accent hover:underline">
        run {fire.task_id.slice(0, 8)}
      </Link>
    )
  if (fire.chat_id)
    return (
      <Link to="/chats/$id" params={{ id: fire.chat_id }} className="text-accent hover:underline">
        chat {fire.chat_id.slice(0, 8)}
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
  const [editing, setEditing] = useState(false)
  const { data: trigger } = useSuspenseQuery(read('triggers.get', { path: { id } }))
  const fire = useAct({
    work: () => call('triggers.fire', { path: { id }, body: {} }),
    touches: ['trigger_fires', 'triggers'],
    done: 'Fired',
  })
  const remove = useRemoval({
    work: () => call('triggers.delete', { path: { id } }),
    resource: 'triggers',
    done: `${trigger.name} is deleted`,
    leave: () => router.navigate({ to: '/triggers' }),
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
          <Button onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Change
          </Button>
          <Button busy={set.isPending} onClick={() => set.mutate(!trigger.enabled)}>
            {trigger.enabled ? 'Turn off' : 'Turn on'}
          </Button>
          <Button busy={fire.isPending} onClick={() => fire.mutate()}>
            <Play aria-hidden /> Fire now
          </Button>
          <ConfirmButton label="Delete" title={`Delete ${trigger.name}?`} confirm="Delete" act={remove}>
            It fires no more; a webhook’s address answers as if it had never been. Runs it has started stay.
          </ConfirmButton>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {trigger.webhook_url ? <Address trigger={trigger} /> : null}
        {trigger.type === 'cron' ? (
          <Panel title="Next times">
            <NextTimes {...clockOf(trigger)} />
          </Panel>
        ) : null}
        {trigger.type === 'webhook' ? <SendTest trigger={trigger} /> : null}
        {trigger.type === 'webhook' ? <FiltersPanel key={trigger.id} trigger={trigger} /> : null}
        <Fires trigger={trigger} />
      </div>
      <Dialog open={editing} onClose={() => setEditing(false)} title={`Change ${trigger.name}`} wide>
        <EditTrigger trigger={trigger} onDone={() => setEditing(false)} />
      </Dialog>
    </Page>
  )
}

export default TriggerPage
