// One workspace for staff: plan, add-ons, limits and billing status.
import type { BillingStatus } from '@millrace/contract/billing'
import type { Workspace, WorkspaceLimit } from '@millrace/contract/installation'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { limitText } from '../settings/limit-text.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { billingStatusLabels } from './billing-status.ts'
import { GrantCredits } from './grant-credits.tsx'
import { StaffFrame } from './staff-frame.tsx'

const touches = ['workspaces']

const Facts = ({ workspace }: { workspace: Workspace }) => {
  const { id, username, type, members, created_at, billing_status } = workspace
  const stand = useAct({
    work: (status: BillingStatus) => call('billing.status', { body: { team_id: id, status } }),
    touches,
    done: 'The change applies now',
  })
  const facts: [string, React.ReactNode][] = [
    ['Name', username],
    ['Kind', type],
    ['People', members],
    ['Made', <Ago key="made" time={created_at} />],
    ['Id', <Id key="id" id={id} />],
  ]
  return (
    <Panel title="Workspace">
      <dl className="mb-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="truncate">{value}</dd>
          </div>
        ))}
      </dl>
      <SelectField
        label="Billing status"
        help="Blocked spending is refused with status 402"
        value={billing_status}
        disabled={stand.isPending}
        onChange={(event) => stand.mutate(event.target.value as BillingStatus)}
      >
        {Object.entries(billingStatusLabels).map(([status, words]) => (
          <option key={status} value={status}>
            {words}
          </option>
        ))}
      </SelectField>
    </Panel>
  )
}

const Plans = ({ workspace: { id, name: workspace, plans } }: { workspace: Workspace }) => {
  const all = useQuery(read('plans.list'))
  const set = useAct({ work: (plan: string) => call('workspaces.set_plan', { path: { id, plan } }), touches })
  const end = useAct({
    work: (plan: string) => call('workspaces.end_plan', { path: { id, plan } }),
    touches,
    quiet: true,
  })
  const others = (all.data ?? []).filter(({ name }) => !plans.includes(name))
  return (
    <Panel title="Plan and add-ons">
      {plans.length === 0 ? <p className="mb-3 text-soft">The default plan of the installation</p> : null}
      <ul className="mb-3 flex flex-col gap-2">
        {plans.map((plan) => (
          <li key={plan} className="flex items-center gap-2">
            <span className="grow font-medium">{plan}</span>
            <ConfirmButton
              label="Remove"
              title={`Remove ${plan} from ${workspace}?`}
              confirm="Remove"
              act={() => end.mutateAsync(plan)}
            >
              Everything that {plan} adds is removed from {workspace} immediately.
            </ConfirmButton>
          </li>
        ))}
      </ul>
      <SelectField
        label="Add plan or add-on"
        value=""
        disabled={set.isPending}
        onChange={(event) => set.mutate(event.target.value)}
      >
        <option value="">a plan or an add-on …</option>
        {others.map(({ name, plan_type }) => (
          <option key={name} value={name}>
            {name}
            {plan_type === 'addon' ? ', add-on' : ''}
          </option>
        ))}
      </SelectField>
    </Panel>
  )
}

type LimitForm = { id: string; limit: WorkspaceLimit; onDone: () => void }

const SetLimit = ({ id, limit, onDone }: LimitForm) => {
  const isSwitch = limit.type === 'boolean'
  const begin = isSwitch ? (limit.enabled ? '' : '0') : limit.unlimited ? '' : String(limit.limit)
  const [text, setText] = useState(begin)
  const [enforcement, setEnforcement] = useState(limit.enforcement)
  const path = { id, resource: limit.resource }
  const set = useAct({
    work: () => call('workspaces.set_limit', { path, body: { limit: text === '' ? null : Number(text), enforcement } }),
    touches,
    after: onDone,
    quiet: true,
  })
  const clear = useAct({ work: () => call('workspaces.clear_limit', { path }), touches, after: onDone, quiet: true })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        set.mutate()
      }}
    >
      {isSwitch ? (
        <SelectField label="Status" value={text} onChange={(event) => setText(event.target.value)}>
          <option value="">included</option>
          <option value="0">not included</option>
        </SelectField>
      ) : (
        <TextField
          label="Limit"
          type="number"
          min={0}
          step={1}
          placeholder="unlimited"
          help="Leave empty for no limit; 0 allows none"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <SelectField
        label="When the limit is reached"
        value={enforcement}
        onChange={(event) => setEnforcement(event.target.value as 'block' | 'warn')}
      >
        <option value="block">Refuse</option>
        <option value="warn">Show a warning and continue</option>
      </SelectField>
      {set.error || clear.error ? <ProblemNote error={set.error ?? clear.error} /> : null}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={set.isPending}>
          Set limit
        </Button>
        {limit.overridden ? (
          <Button busy={clear.isPending} onClick={() => clear.mutate()}>
            Use plan limit
          </Button>
        ) : null}
      </div>
    </form>
  )
}

const Limits = ({ id }: { id: string }) => {
  const limits = useQuery(read('workspaces.limits', { path: { id } }))
  const [chosen, setChosen] = useState<WorkspaceLimit | null>(null)
  return (
    <Panel title="Limits" flush>
      {limits.error ? <ProblemNote error={limits.error} /> : null}
      {limits.isPending ? <SkeletonRows /> : null}
      <ul>
        {(limits.data ?? []).map((limit) => (
          <li key={limit.resource} className="flex items-center gap-3 border-b px-3 py-1.5 last:border-0">
            <span className="min-w-0 grow truncate">
              {limit.label} {limit.overridden ? <Badge tone="accent">set by staff</Badge> : null}
            </span>
            <span className="figures text-soft">{limitText(limit)}</span>
            <Button aria-label={`Change ${limit.label}`} onClick={() => setChosen(limit)}>
              Change
            </Button>
          </li>
        ))}
      </ul>
      <Dialog open={chosen !== null} onClose={() => setChosen(null)} title={chosen?.label ?? ''}>
        {chosen ? <SetLimit id={id} limit={chosen} onDone={() => setChosen(null)} /> : null}
      </Dialog>
    </Panel>
  )
}

const WorkspaceDetails = ({ id }: { id: string }) => {
  const { data, error, isPending } = useQuery(read('workspaces.get', { path: { id } }))
  if (isPending) return <SkeletonRows />
  if (!data) return <ProblemNote error={error} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[320px_minmax(0,1fr)]">
      <div className="flex flex-col gap-4">
        <Facts workspace={data} />
        <Plans workspace={data} />
        <GrantCredits workspace={data} />
      </div>
      <Limits id={data.id} />
    </div>
  )
}

const WorkspacePage = () => {
  const { id } = useParams({ from: '/installation/workspaces/$id' })
  // Loaded below once permitted; here it only provides the title.
  const { data } = useQuery({ ...read('workspaces.get', { path: { id } }), enabled: false })
  return (
    <StaffFrame
      title={data?.name ?? 'Workspace'}
      trail={
        <Link to="/installation/workspaces" className="hover:underline">
          Workspaces
        </Link>
      }
    >
      {() => <WorkspaceDetails id={id} />}
    </StaffFrame>
  )
}

export default WorkspacePage
