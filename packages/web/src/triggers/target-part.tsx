// Searches the flow, agent or app that a trigger starts.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { type Choice, choicesOf, Picker, useMatches } from '../ui/picker.tsx'
import { strings } from './strings.ts'

const byName = { sort: [{ field: 'name', dir: 'asc' as const }] }
const kinded = (kind: string, choices: readonly Choice[]): Choice[] =>
  choices.map(({ value, ...rest }) => ({ value: `${kind} ${value}`, ...rest }))

/** The label of a flow that the URL of the page preselects. */
const usePreselected = (target: string): string | undefined => {
  const [kind, id = ''] = target.split(' ')
  const flow = useQuery({ ...read('flows.get', { path: { id } }), enabled: kind === 'flow' })
  return flow.data && (flow.data.title || flow.data.name)
}

type TargetPartProps = {
  /** Kind and id, for example `flow 0197…`; empty while nothing is selected. */
  target: string
  onChoose: (target: string) => void
}

export const TargetPart = ({ target, onChoose }: TargetPartProps) => {
  const [term, setTerm] = useState('')
  const [chosen, setChosen] = useState<Choice>()
  const named = usePreselected(chosen === undefined ? target : '')
  const flows = useMatches('flows.list', term, { sort: [{ field: 'updated_at', dir: 'desc' }] })
  const agents = useMatches('agents.list', term, byName)
  const apps = useMatches('apps.list', term, { include_others: true, ...byName })
  return (
    <Picker
      label={strings.create.target}
      required
      chosen={chosen ?? (named === undefined ? null : { value: target, label: named })}
      groups={[
        { heading: strings.create.flows, choices: kinded('flow', choicesOf(flows.items)) },
        { heading: strings.create.agents, choices: kinded('agent', choicesOf(agents.items)) },
        { heading: strings.create.apps, choices: kinded('app', choicesOf(apps.items)) },
      ]}
      isLoading={flows.isLoading || agents.isLoading || apps.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => {
        setChosen(choice)
        onChoose(choice.value)
      }}
    />
  )
}
