// Rents a machine: location, hours, price and balance. The price is paid at once; the unused part is refunded.
import type { EngineType } from '@millrace/contract/instances'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { useAct } from '../ui/act.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { dateTimeText } from '../ui/time-text.ts'
import { costOfHours, endAfter, hourLimits } from './span.ts'
import { strings } from './strings.ts'

const words = strings.rent

type Offer = { cloud: string; region: string; catalog_instance_type: string; hourly_price: number }

/** Every provider and region with the machine in stock, cheapest first. */
const offersOf = ({ options }: EngineType): Offer[] =>
  options
    .flatMap(({ cloud, catalog_instance_type, regions }) =>
      regions.map(({ region, hourly_price }) => ({ cloud, region, catalog_instance_type, hourly_price })),
    )
    .toSorted((a, b) => a.hourly_price - b.hourly_price)

const Quote = ({ cost, endTime }: { cost: number; endTime: string }) => {
  const billing = useQuery(read('billing.get'))
  const balance = billing.data?.balance
  return (
    <section aria-label={words.quote} className="rounded-md border bg-canvas p-3">
      <p className="figures font-semibold text-[18px]">{moneyText(cost)}</p>
      <p className="text-soft">{words.until(dateTimeText(endTime))}</p>
      {balance === undefined ? null : (
        <p className={balance < cost ? 'text-bad' : 'text-soft'}>
          {words.balance(moneyText(balance), balance >= cost)}
        </p>
      )}
    </section>
  )
}

export const RentForm = ({ type, onDone }: { type: EngineType; onDone: () => void }) => {
  const offers = offersOf(type)
  const [chosen, setChosen] = useState(0)
  const [name, setName] = useState(type.catalog_instance_type)
  const [hours, setHours] = useState('1')
  const [openedMs] = useState(() => Date.now())
  const offer = offers[chosen]
  const span = Number(hours)
  const isSpan = span >= hourLimits.min && span <= hourLimits.max
  const rent = useAct({
    work: () => {
      if (!offer) throw new Error(words.unavailable)
      const { cloud, region, catalog_instance_type } = offer
      return call('engines.create', {
        body: {
          name,
          end_time: endAfter(Date.now(), span),
          instance_type: { cloud, region, catalog_instance_type, rental_type: type.rental_type },
        },
      })
    },
    touches: ['engines', 'billing'],
    done: words.rented(name),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={rent} submit={words.submit} disabled={!offer || !isSpan}>
      <TextField label={words.name} required value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField label={words.place} value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
        {offers.map(({ cloud, region, hourly_price }, index) => (
          <option key={`${cloud} ${region}`} value={index}>
            {cloud}, {region}: {moneyText(costOfHours(hourly_price, 1))} {words.perHour}
          </option>
        ))}
      </SelectField>
      <TextField
        label={words.hours}
        type="number"
        required
        {...hourLimits}
        step="any"
        help={words.hoursHelp(hourLimits.min, hourLimits.max)}
        value={hours}
        onChange={(event) => setHours(event.target.value)}
      />
      {offer && isSpan ? (
        <Quote cost={costOfHours(offer.hourly_price, span)} endTime={endAfter(openedMs, span)} />
      ) : null}
    </Form>
  )
}
