// Plans and add-ons of the installation.
import type { Plan, PlanLimit } from '@millrace/contract/plans'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { limitsOf, type TypedLimits, typedLimits, wordsOfLimit } from './plan-limits.ts'
import { StaffFrame } from './staff-frame.tsx'

type Draft = { plan: Plan | null; known: Readonly<Record<string, PlanLimit>>; onDone: () => void }

const PlanForm = ({ plan, known, onDone }: Draft) => {
  const [name, setName] = useState(plan?.name ?? '')
  const [description, setDescription] = useState(plan?.description ?? '')
  const [kind, setKind] = useState<Plan['plan_type']>(plan?.plan_type ?? 'base')
  const [typed, setTyped] = useState<TypedLimits>(() => typedLimits(plan?.limits ?? {}))
  const save = useAct({
    work: () =>
      call('plans.set', { path: { name }, body: { description, plan_type: kind, limits: limitsOf(typed, known) } }),
    touches: ['plans', 'workspaces'],
    done: ({ name }) => `${name} applies now`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={plan === null ? 'Define it' : 'Change it'}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          readOnly={plan !== null}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title="Lowercase letters, digits and hyphens"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Type"
          disabled={plan !== null}
          value={kind}
          onChange={(event) => setKind(event.target.value as Plan['plan_type'])}
        >
          <option value="base">Plan (one per workspace)</option>
          <option value="addon">Add-on (in addition to the plan)</option>
        </SelectField>
      </div>
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Limits</legend>
        {Object.entries(known).map(([resource, { label, type, unit }]) => (
          <div key={resource} className="grid items-center gap-2 sm:grid-cols-2">
            <label htmlFor={`limit ${resource}`}>
              {label}
              {unit ? <span className="text-faint"> {unit}</span> : null}
            </label>
            <input
              id={`limit ${resource}`}
              className="h-8 rounded-md border border-line-strong bg-surface px-2.5 placeholder:text-faint"
              pattern={type === 'boolean' ? 'yes|no' : '[0-9]+|unlimited'}
              title={type === 'boolean' ? 'yes or no' : 'A number or unlimited'}
              placeholder="as in the default plan"
              value={typed[resource] ?? ''}
              onChange={(event) => setTyped({ ...typed, [resource]: event.target.value.trim() })}
            />
          </div>
        ))}
        <p className="text-[12px] text-faint">A number or “unlimited”; “yes” or “no” for features.</p>
      </fieldset>
    </Form>
  )
}

const Delete = ({ name }: { name: string }) => {
  const gone = useAct({ work: () => call('plans.delete', { path: { name } }), touches: ['plans'], quiet: true })
  return (
    <ConfirmButton
      label={`Delete ${name}`}
      icon={<Trash2 aria-hidden />}
      title={`Delete ${name}?`}
      confirm="Delete"
      act={() => gone.mutateAsync()}
    >
      Only a plan without workspaces can be deleted.
    </ConfirmButton>
  )
}

const PlanPanel = ({ plan, onChange }: { plan: Plan; onChange: () => void }) => (
  <Panel
    title={
      <>
        {plan.name} <Badge>{plan.plan_type === 'addon' ? 'add-on' : 'plan'}</Badge>
      </>
    }
    actions={
      <>
        <Button aria-label={`Edit ${plan.name}`} onClick={onChange}>
          Edit
        </Button>
        <Delete name={plan.name} />
      </>
    }
  >
    {plan.description ? <p className="mb-2 text-soft">{plan.description}</p> : null}
    <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
      {Object.entries(plan.limits).map(([resource, limit]) => (
        <div key={resource} className="contents">
          <dt className="truncate text-soft">{limit.label ?? resource}</dt>
          <dd className="figures">{wordsOfLimit(limit)}</dd>
        </div>
      ))}
    </dl>
  </Panel>
)

const PlanList = ({ adding, onAdded }: { adding: boolean; onAdded: () => void }) => {
  const { data, error, isPending } = useQuery(read('plans.list'))
  const [changed, setChanged] = useState<Plan | null>(null)
  if (isPending) return <SkeletonRows />
  if (!data) return <ProblemNote error={error} />
  // The default plan names every resource; other plans name what they add.
  const known = Object.assign({}, ...data.map(({ limits }) => limits)) as Record<string, PlanLimit>
  const close = () => {
    setChanged(null)
    onAdded()
  }
  return (
    <>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {data.map((plan) => (
          <PlanPanel key={plan.id} plan={plan} onChange={() => setChanged(plan)} />
        ))}
      </div>
      <Dialog open={adding || changed !== null} onClose={close} title={changed?.name ?? 'Define a plan'}>
        {adding || changed ? <PlanForm plan={changed} known={known} onDone={close} /> : null}
      </Dialog>
    </>
  )
}

const PlansPage = () => {
  const [adding, setAdding] = useState(false)
  return (
    <StaffFrame
      title="Plans"
      actions={
        <Button look="primary" onClick={() => setAdding(true)}>
          Create plan
        </Button>
      }
    >
      {() => <PlanList adding={adding} onAdded={() => setAdding(false)} />}
    </StaffFrame>
  )
}

export default PlansPage
