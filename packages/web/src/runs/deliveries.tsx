// The completion webhook of a run: its status, every attempt, and sending it again.
import type { WebhookAttempt, WebhookDelivery } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/page.tsx'
import { Status, type Tone } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.deliveries

export const deliveryTones: Record<WebhookDelivery['status'], Tone> = {
  pending: 'waiting',
  delivered: 'ok',
  failed: 'bad',
  parked: 'bad',
}

/** No stream reports attempts, so they are polled while one is due soon. */
const pollMs = 2_000
const soonMs = 60_000

const isDue = (deliveries: readonly WebhookDelivery[], nowMs: number): boolean =>
  deliveries.some(
    ({ status, next_attempt_at: next }) => status === 'pending' && (next === null || Date.parse(next) < nowMs + soonMs),
  )

const Attempt = ({ attempt: { at, status_code, error, duration_ms } }: { attempt: WebhookAttempt }) => (
  <li className="flex gap-2">
    <span className="min-w-0 grow truncate" title={error}>
      {error === '' ? `HTTP ${status_code}` : error}
    </span>
    <span className="figures text-faint">{durationText(duration_ms)}</span>
    <Ago time={at} />
  </li>
)

const Delivery = ({ delivery }: { delivery: WebhookDelivery }) => (
  <li className="flex flex-col gap-1">
    <span className="flex flex-wrap items-center gap-x-2">
      <Status tone={deliveryTones[delivery.status]}>{delivery.status}</Status>
      {delivery.next_attempt_at ? (
        <span className="text-soft">
          {words.nextAttempt} <Ago time={delivery.next_attempt_at} />
        </span>
      ) : null}
    </span>
    <code className="truncate text-[12px]" title={delivery.url}>
      {delivery.url}
    </code>
    {delivery.parked_reason ? <span className="text-bad">{delivery.parked_reason}</span> : null}
    <ol aria-label={words.attempts} className="flex flex-col gap-0.5 text-[12px] text-soft">
      {delivery.attempts.map((attempt) => (
        <Attempt key={attempt.at} attempt={attempt} />
      ))}
    </ol>
  </li>
)

export const useDeliveries = (id: string) =>
  useQuery({
    ...read('tasks.webhooks', { path: { id } }),
    refetchInterval: ({ state }) => (isDue(state.data ?? [], Date.now()) ? pollMs : false),
  })

export const Deliveries = ({ id, mayAct }: { id: string; mayAct: boolean }) => {
  const { data: deliveries = [] } = useDeliveries(id)
  const again = useAct({
    work: () => call('tasks.redeliver', { path: { id } }),
    touches: ['tasks'],
    done: words.resent,
  })
  if (deliveries.length === 0) return null
  return (
    <Panel
      title={words.title}
      actions={
        mayAct ? (
          <Button busy={again.isPending} onClick={() => again.mutate()}>
            <Send aria-hidden /> {words.resend}
          </Button>
        ) : null
      }
    >
      <ul className="flex flex-col gap-3">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} />
        ))}
      </ul>
    </Panel>
  )
}
