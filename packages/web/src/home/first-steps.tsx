// A short list of first steps that ticks itself off from what the workspace holds, and goes away when done.
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Listed, useList } from '../api/list.ts'
import { statusFilters } from '../runs/filters.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Panel } from '../ui/page.tsx'

const hiddenKey = 'millrace.first-steps'

/** What was done in a workspace stays done, also when its runs are swept away; and it is not asked again. */
const doneKey = (teamId: string): string => `${hiddenKey}.${teamId}`
const doneIn = (teamId: string): readonly string[] => (localStorage.getItem(doneKey(teamId)) ?? '').split(' ')

const one = { limit: 1 }
const completed = { ...one, filters: [{ field: 'status', operator: 'in', value: [...statusFilters.completed] }] }

const useSteps = (teamId: string, isShown: boolean) => {
  const known = doneIn(teamId)
  const ask = (to: string) => ({ enabled: isShown && !known.includes(to) })
  const runs = useList('tasks.list', completed, ask('/apps'))
  const flows = useList('flows.list', one, ask('/flows'))
  const triggers = useList('triggers.list', one, ask('/triggers'))
  const keys = useList('apikeys.list', one, ask('/settings/keys'))
  const isDone = (to: string, list: Listed<unknown>): boolean => known.includes(to) || list.items.length > 0
  const steps = [
    { list: runs, to: '/apps', label: 'Run an app', note: 'Fill in a form, see the result' },
    { list: flows, to: '/flows', label: 'Build a flow', note: 'Connect apps by their outputs' },
    { list: triggers, to: '/triggers', label: 'Set a trigger', note: 'By clock, by webhook or by hand' },
    { list: keys, to: '/settings/keys', label: 'Make an API key', note: 'Call everything from your code' },
  ] as const
  return steps.map(({ list, ...step }) => ({ ...step, done: isDone(step.to, list) }))
}

export const FirstSteps = () => {
  const { team } = useSession()
  const [hidden, setHidden] = useState(localStorage.getItem(hiddenKey) === 'hidden')
  const steps = useSteps(team.id, !hidden)
  const done = steps.flatMap(({ to, done }) => (done ? [to] : [])).join(' ')
  useEffect(() => {
    if (done !== '') localStorage.setItem(doneKey(team.id), done)
  }, [done, team.id])
  if (hidden || steps.every(({ done }) => done)) return null
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
        {/* While it is being asked, a step stands there as one to be done: the ticks come, and nothing moves. */}
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
