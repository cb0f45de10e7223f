// Search fields for apps, agents, skills and MCP servers. Apps and agents are stored by reference, so that a configuration
// keeps its meaning when it is copied to another server.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type RowOf, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { type Choice, Picker, useMatches } from '../ui/picker.tsx'
import { strings } from './strings.ts'

const byName = { sort: [{ field: 'name', dir: 'asc' as const }] }

type Named = { namespace: string; name: string; title?: string }

export const refOf = ({ namespace, name }: Named): string => `${namespace}/${name}`

const byRef = (rows: readonly Named[]): Choice[] =>
  rows.map((row) => ({ value: refOf(row), label: row.title || row.name, note: refOf(row) }))

const chosenIn = (value: string): Choice | null => (value === '' ? null : { value, label: value })

type PickProps<Row> = {
  label: string
  help?: ReactNode
  value: string
  /** `row` is undefined if the list did not contain the chosen value. */
  onChoose: (value: string, row: Row | undefined) => void
}

export const AppPicker = ({ label, help, value, onChoose }: PickProps<RowOf<'apps.list'>>) => {
  const [term, setTerm] = useState('')
  const apps = useMatches('apps.list', term, { include_others: true, ...byName })
  return (
    <Picker
      label={label}
      help={help}
      required
      chosen={chosenIn(value)}
      groups={[{ choices: byRef(apps.items) }]}
      isLoading={apps.isLoading}
      onTerm={setTerm}
      onChoose={(choice) =>
        onChoose(
          choice.value,
          apps.items.find((app) => refOf(app) === choice.value),
        )
      }
    />
  )
}

/** Apps that serve chat models. */
const models = { include_others: true, filters: [{ field: 'category', operator: 'eq', value: 'chat' }] }

/** The default model app. A new server installs its bundled apps after it starts, so an empty list is reloaded. */
export const useFirstModel = (): string => {
  const { items } = useList('apps.list', models, { expectsMore: (found) => found.length === 0 })
  return items[0] ? refOf(items[0]) : ''
}

export const ModelPicker = ({ label, help, value, onChoose }: PickProps<RowOf<'apps.list'>>) => {
  const [term, setTerm] = useState('')
  const apps = useMatches('apps.list', term, models)
  return (
    <Picker
      label={label}
      help={help}
      required
      chosen={chosenIn(value)}
      groups={[{ choices: byRef(apps.items) }]}
      isLoading={apps.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => onChoose(choice.value, undefined)}
    />
  )
}

export const AgentPicker = ({ label, help, value, onChoose }: PickProps<RowOf<'agents.list'>>) => {
  const [term, setTerm] = useState('')
  const agents = useMatches('agents.list', term, { preloads: ['version'], ...byName })
  return (
    <Picker
      label={label}
      help={help}
      required
      chosen={chosenIn(value)}
      groups={[{ choices: byRef(agents.items) }]}
      isLoading={agents.isLoading}
      onTerm={setTerm}
      onChoose={(choice) =>
        onChoose(
          choice.value,
          agents.items.find((agent) => refOf(agent) === choice.value),
        )
      }
    />
  )
}

/** Apps and agents that can handle a hook. */
export const HandlerPicker = ({ label, value, onChoose }: PickProps<never>) => {
  const [term, setTerm] = useState('')
  const apps = useMatches('apps.list', term, { include_others: true, ...byName })
  const agents = useMatches('agents.list', term, byName)
  return (
    <Picker
      label={label}
      required
      chosen={chosenIn(value)}
      groups={[
        { heading: strings.pickers.apps, choices: byRef(apps.items) },
        { heading: strings.pickers.agents, choices: byRef(agents.items) },
      ]}
      isLoading={apps.isLoading || agents.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => onChoose(choice.value, undefined)}
    />
  )
}

/** Skills are stored by ID; the name of a skill outside the list is looked up. */
export const SkillPicker = ({ label, value, onChoose }: PickProps<RowOf<'skills.list'>>) => {
  const [term, setTerm] = useState('')
  const skills = useMatches('skills.list', term, { include_others: true, ...byName })
  const inList = skills.items.find(({ id }) => id === value)
  const stored = useQuery({
    ...read('skills.get', { path: { id: value } }),
    enabled: value !== '' && !inList && !skills.isLoading,
    retry: false,
  })
  const named = inList ?? stored.data
  return (
    <Picker
      label={label}
      required
      chosen={value === '' ? null : { value, label: named ? refOf(named) : value }}
      groups={[{ choices: skills.items.map((skill) => ({ value: skill.id, label: refOf(skill) })) }]}
      isLoading={skills.isLoading}
      onTerm={setTerm}
      onChoose={(choice) =>
        onChoose(
          choice.value,
          skills.items.find(({ id }) => id === choice.value),
        )
      }
    />
  )
}

/** MCP servers are stored by slug. */
export const ServerPicker = ({ label, value, onChoose }: PickProps<never>) => {
  const [term, setTerm] = useState('')
  const own = useMatches('mcp_servers.list', term, byName)
  const listed = useMatches('mcps.list', term)
  const bySlug = (rows: readonly { slug: string; name: string; title: string }[]): Choice[] =>
    rows.map(({ slug, name, title }) => ({ value: slug, label: title || name, note: slug }))
  const choices = [...bySlug(own.items), ...bySlug(listed.items)]
  return (
    <Picker
      label={label}
      required
      chosen={choices.find((choice) => choice.value === value) ?? chosenIn(value)}
      groups={[
        { heading: strings.pickers.ownServers, choices: bySlug(own.items) },
        { heading: strings.pickers.directory, choices: bySlug(listed.items) },
      ]}
      isLoading={own.isLoading || listed.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => onChoose(choice.value, undefined)}
    />
  )
}
