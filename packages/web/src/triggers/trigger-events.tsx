// The events of a trigger: payload, result, reason, started run, and replay.
import type { Trigger, TriggerFire } from '@millrace/contract/triggers'
import { Link, useSearch } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { Status, StatusIcon, type Tone } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { useChangeAddress } from '../ui/use-list-address.ts'
import { eventsAddress } from './address.ts'
import { outcomes } from './labels.ts'
import { hasFailed, useFailedRuns } from './run-outcomes.ts'
import { strings } from './strings.ts'

const tones: Readonly<Record<TriggerFire['status'], Tone>> = { success: 'ok', error: 'bad', filtered: 'off' }

const RunLink = ({
  fire,
}: {
  fire: Pick<TriggerFire, 'task_id' | 'flow_run_id' | 'chat_id'> & { flowId: string | undefined }
}) => {
  if (fire.task_id)
    return (
      <Link to="/runs/$id" params={{ id: fire.task_id }} className="text-accent hover:underline">
        {strings.events.run(fire.task_id.slice(0, 8))}
      </Link>
    )
  if (fire.chat_id)
    return (
      <Link to="/chats/$id" params={{ id: fire.chat_id }} className="text-accent hover:underline">
        {strings.events.chat(fire.chat_id.slice(0, 8))}
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
        {strings.events.flowRun(fire.flow_run_id.slice(0, 8))}
      </Link>
    )
  return null
}

/** A refused delivery has no event. */
const RefusedDelivery = ({ trigger: { last_refused_at: at, last_refusal: reason } }: { trigger: Trigger }) =>
  at === undefined ? null : (
    <p className="flex gap-2 border-b bg-bad-soft px-3 py-2">
      <StatusIcon tone="bad" className="mt-0.5" />
      <span>
        {strings.events.refused} <Ago time={at} />: {reason}
      </span>
    </p>
  )

export const TriggerEvents = ({ trigger }: { trigger: Trigger }) => {
  const [opened, setOpened] = useState<TriggerFire | null>(null)
  const change = useChangeAddress()
  const { outcome } = eventsAddress(useSearch({ strict: false }))
  const list = useList('trigger_fires.list', {
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: given([eqFilter('trigger_id', trigger.id), eqFilter('status', outcome)]),
  })
  const failed = useFailedRuns(list.items)
  const replay = useAct({
    work: (id: string) => call('trigger_fires.replay', { path: { id } }),
    touches: ['trigger_fires', 'triggers'],
    done: strings.events.replayed,
  })
  const columns: Column<TriggerFire>[] = [
    {
      id: 'status',
      header: uiStrings.result,
      width: '120px',
      cell: (fire) =>
        hasFailed(fire, failed) ? (
          <Status tone="bad">{strings.events.runFailed}</Status>
        ) : (
          <Status tone={tones[fire.status]}>{outcomes[fire.status].toLowerCase()}</Status>
        ),
    },
    {
      id: 'reason',
      header: strings.events.reason,
      width: '2fr',
      wide: true,
      cell: ({ error }) => <span className="text-soft">{error}</span>,
    },
    {
      id: 'run',
      header: strings.events.columnRun,
      cell: (fire) => <RunLink fire={{ ...fire, flowId: trigger.flow_id }} />,
    },
    {
      id: 'took',
      header: uiStrings.duration,
      width: '80px',
      wide: true,
      end: true,
      cell: ({ duration_ms }) => durationText(duration_ms),
    },
    {
      id: 'time',
      header: strings.events.time,
      width: '90px',
      end: true,
      cell: ({ created_at }) => <Ago time={created_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '40px',
      end: true,
      cell: ({ id }) => (
        <Button look="quiet" label={strings.events.replay} onClick={() => replay.mutate(id)}>
          <RotateCcw aria-hidden />
        </Button>
      ),
    },
  ]
  return (
    <Panel
      title={strings.events.title}
      flush
      actions={
        <ChoiceChips
          label={uiStrings.result}
          choices={outcomes}
          chosen={outcome}
          onChoose={(next) => void change({ outcome: next })}
        />
      }
    >
      <RefusedDelivery trigger={trigger} />
      <Table
        label={strings.events.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        empty={
          outcome === undefined ? (
            <Empty title={strings.events.empty} />
          ) : (
            <Empty
              title={strings.events.noMatch}
              action={
                <ButtonLink to="/triggers/$id" params={{ id: trigger.id }}>
                  {strings.events.showAll}
                </ButtonLink>
              }
            />
          )
        }
      />
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={strings.events.payload} wide>
        {opened ? <JsonView value={opened.payload ?? null} /> : null}
      </Dialog>
    </Panel>
  )
}
