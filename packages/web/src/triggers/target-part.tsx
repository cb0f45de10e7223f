// What a trigger starts: a flow, an agent or an app, found by typing.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { type Choice, choicesOf, Picker, useMatches } from '../ui/picker.tsx'

const byName = { sort: [{ field: 'name', dir: 'asc' as const }] }
const kinded = (kind: string, choices: readonly Choice[]): Choice[] =>
  choices.map(({ value, ...rest }) => ({ value: `${kind} ${value}`, ...rest }))

/** What the address of the page has named already is called as it is called elsewhere. */
const useNamed = (target: string): string | undefined => {
  const [kind, id = ''] = target.split(' ')
  const flow = useQuery({ ...read('flows.get', { path: { id } }), enabled: kind === 'flow' })
  return flow.data && (flow.data.title || flow.data.name)
}

type TargetPartProps = {
  /** Its kind, such as `flow`, and its id; empty while nothing is chosen. */
  target: string
  onChoose: (target: string) => void
}

export const TargetPart = ({ target, onChoose }: TargetPartProps) => {
  const [term, setTerm] = useState('')
  const [chosen, setChosen] = useState<Choice>()
  const named = useNamed(chosen === undefined ? target : '')
  const flows = useMatches('flows.list', term, { sort: [{ field: 'updated_at', dir: 'desc' }] })
  const agents = useMatches('agents.list', term, byName)
  const apps = useMatches('apps.list', term, { include_others: true, ...byName })
  return (
    <Picker
      label="Starts a run of"
      required
      chosen={chosen ?? (named === undefined ? null : { value: target, label: named })}
      groups={[
        { heading: 'Flows', choices: kinded('flow', choicesOf(flows.items)) },
        { heading: 'Agents', choices: kinded('agent', choicesOf(agents.items)) },
        { heading: 'Apps', choices: kinded('app', choicesOf(apps.items)) },
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
