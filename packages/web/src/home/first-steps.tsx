// A short list of first steps that ticks itself off from what the workspace holds, and goes away when done.
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Panel } from '../ui/page.tsx'

const hiddenKey = 'millrace.first-steps'

export const FirstSteps = ({ hasRun }: { hasRun: boolean }) => {
  const [hidden, setHidden] = useState(localStorage.getItem(hiddenKey) === 'hidden')
  const asked = { limit: 1 }
  const flows = useList('flows.list', asked, { enabled: !hidden })
  const triggers = useList('triggers.list', asked, { enabled: !hidden })
  const keys = useList('apikeys.list', asked, { enabled: !hidden })
  if (hidden || flows.isLoading || triggers.isLoading || keys.isLoading) return null
  const steps = [
    { done: hasRun, to: '/apps', label: 'Run an app', note: 'Fill in a form, see the result' },
    { done: flows.items.length > 0, to: '/flows', label: 'Build a flow', note: 'Connect apps by their outputs' },
    {
      done: triggers.items.length > 0,
      to: '/triggers',
      label: 'Set a trigger',
      note: 'By clock, by webhook or by hand',
    },
    {
      done: keys.items.length > 0,
      to: '/settings/keys',
      label: 'Make an API key',
      note: 'Call everything from your code',
    },
  ] as const
  if (steps.every(({ done }) => done)) return null
  const hide = () => {
    localStorage.setItem(hiddenKey, 'hidden')
    setHidden(true)
  }
  return (
    <Panel
      title="First steps"
      actions={
        <Button look="quiet" label="Hide the first steps" onClick={hide}>
          <X aria-hidden />
        </Button>
      }
    >
      <ol className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ done, to, label, note }) => {
          const Icon = done ? CircleCheck : Circle
          return (
            <li key={to}>
              <Link to={to} className="flex items-start gap-2 rounded-md p-2 hover:bg-hover">
                <Icon className={classes('mt-0.5 size-4 shrink-0', done ? 'text-ok' : 'text-faint')} aria-hidden />
                <span>
                  <span className={classes('block font-medium', done && 'text-faint line-through')}>{label}</span>
                  <span className="block text-[12px] text-faint">{note}</span>
                </span>
              </Link>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}
