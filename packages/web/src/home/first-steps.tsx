// A checklist for new workspaces. Steps are checked off from the contents of the workspace; a finished list is hidden.
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Listed, useList } from '../api/list.ts'
import { statusFilters } from '../runs/filters.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Panel } from '../ui/page.tsx'
import { strings } from './strings.ts'

const hiddenKey = 'millrace.first-steps'

/** Done steps are remembered: they stay done after the runs are deleted, and need no further requests. */
const doneKey = (teamId: string): string => `${hiddenKey}.${teamId}`
const doneIn = (teamId: string): readonly string[] => (localStorage.getItem(doneKey(teamId)) ?? '').split(' ')

const words = strings.firstSteps

const one = { limit: 1 }
const completed = { ...one, filters: [{ field: 'status', operator: 'in', value: [...statusFilters.completed] }] }

const useSteps = (teamId: string, isShown: boolean) => {
  const known = doneIn(teamId)
  const query = (to: string) => ({ enabled: isShown && !known.includes(to) })
  const runs = useList('tasks.list', completed, query('/apps'))
  const flows = useList('flows.list', one, query('/flows'))
  const triggers = useList('triggers.list', one, query('/triggers'))
  const keys = useList('apikeys.list', one, query('/settings/keys'))
  const isDone = (to: string, list: Listed<unknown>): boolean => known.includes(to) || list.items.length > 0
  const steps = [
    { list: runs, to: '/apps', label: words.runApp, note: words.runAppNote },
    { list: flows, to: '/flows', label: words.buildFlow, note: words.buildFlowNote },
    { list: triggers, to: '/triggers', label: words.createTrigger, note: words.createTriggerNote },
    { list: keys, to: '/settings/keys', label: words.createKey, note: words.createKeyNote },
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
      title={words.title}
      actions={
        <Button look="quiet" label={words.hide} onClick={hide}>
          <X aria-hidden />
        </Button>
      }
    >
      <ol className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4">
        {/* A step that is still loading is shown as open, so the layout does not move. */}
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
