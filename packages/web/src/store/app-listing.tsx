// The store listing of an app, for staff: the offered version, the rank and the prices.
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
import { JsonField } from '../ui/json-field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { pricesIn } from './prices.ts'
import { strings } from './strings.ts'

const words = strings.pricing

const listing = strings.listing

const variables = ['prices', 'task_inputs', 'task_function', 'output_meta', 'elapsed_ms']

const expressions = [
  'resource_expression',
  'inference_expression',
  'royalty_expression',
  'partner_expression',
  'total_expression',
] as const

const Pricing = ({ app, stored }: { app: App; stored: AppPricingAnswer }) => {
  const { estimable, ...kept } = stored
  const [draft, setDraft] = useState(kept)
  const [prices, setPrices] = useState<unknown>(stored.prices)
  const amounts = pricesIn(prices)
  const save = useAct({
    work: () =>
      call('store.set_pricing', { path: { appId: app.id }, body: { ...draft, prices: amounts ?? stored.prices } }),
    touches: ['store'],
    done: words.saved,
    quiet: true,
  })
  return (
    <Panel title={words.title}>
      <Form act={save} submit={words.save} disabled={amounts === undefined}>
        <TextField
          label={words.description}
          placeholder={words.descriptionHint}
          value={draft.description}
          onChange={(event) => setDraft({ ...draft, description: event.target.value })}
        />
        <div>
          <p className="mb-1 font-medium">{words.prices}</p>
          <JsonField
            label={words.prices}
            kind="object"
            value={prices}
            onChange={setPrices}
            placeholder='{"image": 2000000}'
          />
          <p className={amounts === undefined ? 'text-[12px] text-bad' : 'text-[12px] text-faint'}>
            {amounts === undefined ? words.notNumbers : words.unit}
          </p>
        </div>
        <p className="text-[12px] text-faint">
          {words.help}{' '}
          {variables.map((variable) => (
            <code key={variable}>{`${variable} `}</code>
          ))}
          {estimable ? words.estimable : null}
        </p>
        {expressions.map((field) => (
          <div key={field}>
            <p className="mb-1 font-medium">{words.expressions[field]}</p>
            <CodeEditor
              label={words.expressions[field]}
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
    done: listing.submitted,
  })
  const save = useAct({
    work: () =>
      call('store.set_listing', { path, body: { rank: Number(rank), is_featured: featured, delisted: false } }),
    touches: ['store'],
    done: listing.saved,
    quiet: true,
  })
  const takeOff = useAct({
    work: () => call('store.set_listing', { path, body: { delisted: true } }),
    touches: ['store'],
    done: listing.removed(app.name),
    quiet: true,
  })
  return (
    <Panel
      title={listing.title}
      actions={
        <Button busy={submit.isPending} onClick={() => submit.mutate()}>
          {listing.submit}
        </Button>
      }
    >
      <Form act={save} submit={listed ? listing.save : listing.add} disabled={!/^-?\d+$/.test(rank)}>
        {listed ? null : <p className="text-soft">{listing.notListed}</p>}
        <CheckField
          label={listing.featured}
          checked={featured}
          onChange={(event) => setFeatured(event.target.checked)}
        />
        <TextField
          label={listing.rank}
          type="number"
          step={1}
          help={listing.rankHelp}
          value={rank}
          onChange={(event) => setRank(event.target.value)}
        />
      </Form>
      {listed ? (
        <div className="mt-4">
          <ConfirmButton
            label={listing.remove}
            title={listing.removeTitle(`${app.namespace}/${app.name}`)}
            confirm={listing.remove}
            act={() => takeOff.mutateAsync()}
          >
            {listing.removeText}
          </ConfirmButton>
        </div>
      ) : null}
    </Panel>
  )
}

const ListingAndPricing = ({ app }: { app: App }) => {
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
      <Pricing app={app} stored={pricing.data} />
    </>
  )
}

/** For staff. Loaded on demand, because not every sign-in of staff has this permission. */
export const AppListing = ({ app }: { app: App }) => {
  const { isStaff } = useSession()
  const [open, setOpen] = useState(false)
  if (!isStaff || app.visibility !== 'public') return null
  if (open) return <ListingAndPricing app={app} />
  return (
    <Panel title={listing.title} actions={<Button onClick={() => setOpen(true)}>{listing.show}</Button>}>
      <p className="text-soft">{listing.intro}</p>
    </Panel>
  )
}
