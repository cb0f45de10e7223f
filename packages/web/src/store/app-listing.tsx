// How the store offers an app, for those who keep the store: the version it hands out, its place, and what a run costs.
import type { App, StoreApp } from '@millrace/contract/apps'
import type { AppPricingAnswer } from '@millrace/contract/pricing'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { CheckField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { pricesIn } from './prices.ts'

const expressions = [
  ['resource_expression', 'For the machine'],
  ['inference_expression', 'For the model'],
  ['royalty_expression', 'For the author'],
  ['partner_expression', 'For the partner'],
  ['total_expression', 'In all, instead of their sum'],
] as const

const Pricing = ({ app, held }: { app: App; held: AppPricingAnswer }) => {
  const { estimable, ...kept } = held
  const [draft, setDraft] = useState(kept)
  const [prices, setPrices] = useState(() => JSON.stringify(held.prices, null, 2))
  const amounts = pricesIn(prices)
  const save = useAct({
    work: () =>
      call('store.set_pricing', { path: { appId: app.id }, body: { ...draft, prices: amounts ?? held.prices } }),
    touches: ['store'],
    done: 'Runs cost this from now on; those already accepted keep their price',
    quiet: true,
  })
  return (
    <Panel title="What a run costs">
      <Form act={save} submit="Save the price" disabled={amounts === undefined}>
        <TextField
          label="In words"
          placeholder="2 cents an image"
          value={draft.description}
          onChange={(event) => setDraft({ ...draft, description: event.target.value })}
        />
        <div>
          <p className="mb-1 font-medium">Prices</p>
          <CodeEditor label="Prices" value={prices} onChange={setPrices} placeholder='{"image": 2000000}' />
          <p className={amounts === undefined ? 'text-[12px] text-bad' : 'text-[12px] text-faint'}>
            {amounts === undefined
              ? 'This must be a JSON object of whole numbers'
              : 'In microcents, a hundred million to the dollar'}
          </p>
        </div>
        <p className="text-[12px] text-faint">
          CEL over <code>prices</code>, <code>task_inputs</code>, <code>task_function</code>, <code>output_meta</code>{' '}
          and <code>elapsed_ms</code>; empty is no fee. {estimable ? 'The price is known before a run.' : null}
        </p>
        {expressions.map(([field, label]) => (
          <div key={field}>
            <p className="mb-1 font-medium">{label}</p>
            <CodeEditor
              label={label}
              language="cel"
              minHeight={36}
              value={draft[field]}
              onChange={(text) => setDraft((before) => ({ ...before, [field]: text }))}
            />
          </div>
        ))}
      </Form>
    </Panel>
  )
}

const Listing = ({ app, listed }: { app: App; listed: StoreApp | undefined }) => {
  const [rank, setRank] = useState(String(listed?.rank ?? 0))
  const [featured, setFeatured] = useState(listed?.is_featured ?? false)
  const path = { appId: app.id }
  const submit = useAct({
    work: () => call('store.submit', { path, body: {} }),
    touches: ['store'],
    done: 'The store offers the current version',
  })
  const save = useAct({
    work: () =>
      call('store.set_listing', { path, body: { rank: Number(rank), is_featured: featured, delisted: false } }),
    touches: ['store'],
    done: 'The store shows it like this',
    quiet: true,
  })
  const takeOff = useAct({
    work: () => call('store.set_listing', { path, body: { delisted: true } }),
    touches: ['store'],
    done: `${app.name} is no longer in the store`,
    quiet: true,
  })
  return (
    <Panel
      title="In the store"
      actions={
        <Button busy={submit.isPending} onClick={() => submit.mutate()}>
          Offer the current version
        </Button>
      }
    >
      <Form act={save} submit={listed ? 'Save its place' : 'Put it into the store'} disabled={!/^-?\d+$/.test(rank)}>
        {listed ? null : <p className="text-soft">It has been taken off, or is not to be used any more.</p>}
        <CheckField label="Featured" checked={featured} onChange={(event) => setFeatured(event.target.checked)} />
        <TextField
          label="Rank"
          type="number"
          step={1}
          help="Higher stands further up"
          value={rank}
          onChange={(event) => setRank(event.target.value)}
        />
      </Form>
      {listed ? (
        <div className="mt-4">
          <ConfirmButton
            label="Take it off"
            title={`Take ${app.namespace}/${app.name} off the store?`}
            confirm="Take it off"
            act={() => takeOff.mutateAsync()}
          >
            Nobody finds it there any more. Whoever uses it already goes on using it.
          </ConfirmButton>
        </div>
      ) : null}
    </Panel>
  )
}

const Shown = ({ app }: { app: App }) => {
  const pricing = useQuery({ ...read('store.pricing', { path: { appId: app.id } }), retry: false })
  const listings = useList('store.apps', {
    limit: 1,
    filters: [
      { field: 'namespace', operator: 'eq', value: app.namespace },
      { field: 'name', operator: 'eq', value: app.name },
    ],
  })
  if (pricing.error) return <ProblemNote error={pricing.error} />
  if (!pricing.data || listings.isLoading) return <SkeletonRows rows={4} />
  const [listed] = listings.items
  return (
    <>
      <Listing key={listed ? `${listed.rank} ${listed.is_featured}` : 'off'} app={app} listed={listed} />
      <Pricing app={app} held={pricing.data} />
    </>
  )
}

/** For the staff of the installation; asked for when wanted, since not every sign-in of theirs carries the power. */
export const AppListing = ({ app }: { app: App }) => {
  const { isStaff } = useSession()
  const [open, setOpen] = useState(false)
  if (!isStaff || app.visibility !== 'public') return null
  if (open) return <Shown app={app} />
  return (
    <Panel title="In the store" actions={<Button onClick={() => setOpen(true)}>Show</Button>}>
      <p className="text-soft">The version it offers, its place, and what a run costs.</p>
    </Panel>
  )
}
