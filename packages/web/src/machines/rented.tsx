// The rented machines: price, end, extending and returning them.
import type { ReplyOf } from '@millrace/contract/call'
import type { Instance } from '@millrace/contract/instances'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { moneyText } from '../money/amounts.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { Status, toneOfEngine } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import { dateTimeText } from '../ui/time-text.ts'
import { costOfHours, hourLimits, leftOf } from './span.ts'
import { strings } from './strings.ts'

const words = strings.rented

type Engine = ReplyOf<'engines.get'>
type Rented = Engine & { instance: Instance }

const isRented = (engine: Engine): engine is Rented =>
  engine.instance !== undefined && engine.instance.status !== 'deleted' && engine.instance.status !== 'error'

const ExtendForm = ({ engine, onDone }: { engine: Rented; onDone: () => void }) => {
  const [hours, setHours] = useState('1')
  const span = Number(hours)
  const extend = useAct({
    work: () => call('engines.extend', { path: { id: engine.id }, body: { hours: span } }),
    touches: ['engines', 'billing'],
    done: words.extended(engine.name),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={extend} submit={words.pay} disabled={!(span > 0)}>
      <TextField
        label={words.hours}
        type="number"
        required
        max={hourLimits.max}
        step="any"
        help={words.endsNow(dateTimeText(engine.instance.auto_delete.end_time))}
        value={hours}
        onChange={(event) => setHours(event.target.value)}
      />
      {span > 0 ? (
        <p className="figures font-semibold text-[18px]">
          {moneyText(costOfHours(engine.instance.hourly_price, span))}
        </p>
      ) : null}
    </Form>
  )
}

const Row = ({ engine }: { engine: Rented }) => {
  const { instance } = engine
  const now = useNow()
  const [extending, setExtending] = useState(false)
  const left = leftOf(instance.hourly_price, instance.auto_delete.end_time, now)
  const end = useAct({
    work: () => call('engines.delete', { path: { id: engine.id } }),
    touches: ['engines', 'billing'],
    done: words.returned(engine.name),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-3 py-2 last:border-0">
      <div className="min-w-40 grow">
        <Link to="/engines/$id" params={{ id: engine.id }} className="font-medium hover:underline">
          {engine.name}
        </Link>
        <p className="text-[12px] text-faint">
          {instance.catalog_instance_type} · {instance.cloud}, {instance.region}
        </p>
      </div>
      <Status tone={toneOfEngine(engine.status)}>{engine.status}</Status>
      <div className="figures">
        <p>{words.perHour(moneyText(costOfHours(instance.hourly_price, 1)))}</p>
        <p className="text-[12px] text-faint">{words.ends(dateTimeText(instance.auto_delete.end_time))}</p>
      </div>
      <span className="flex gap-2">
        <Button onClick={() => setExtending(true)}>{words.extend}</Button>
        <ConfirmButton
          label={words.return}
          title={words.returnTitle(engine.name)}
          confirm={words.return}
          act={() => end.mutateAsync()}
        >
          {words.returnText(moneyText(left))}
        </ConfirmButton>
      </span>
      <Dialog open={extending} onClose={() => setExtending(false)} title={words.extendTitle(engine.name)}>
        <ExtendForm engine={engine} onDone={() => setExtending(false)} />
      </Dialog>
    </li>
  )
}

export const RentedMachines = () => {
  const list = useList('engines.list', { sort: [{ field: 'created_at', dir: 'desc' }] })
  const rented = list.items.filter(isRented)
  if (list.error) return <ProblemNote error={list.error} />
  if (rented.length === 0) return null
  return (
    <Panel title={words.title} flush>
      <ul>
        {rented.map((engine) => (
          <Row key={engine.id} engine={engine} />
        ))}
      </ul>
    </Panel>
  )
}
