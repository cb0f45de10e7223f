// What an agent is put together from, each found by typing: apps, agents, skills and servers. Apps and agents go by their name,
// so that a copy of the configuration means the same elsewhere.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type RowOf, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { type Choice, Picker, useMatches } from '../ui/picker.tsx'

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
  /** The row is there when it was among those that were offered. */
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

/** Apps that speak as models do. */
const models = { include_others: true, filters: [{ field: 'category', operator: 'eq', value: 'chat' }] }

/** The one to begin with. Those that come along are still being installed while a fresh server starts. */
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

/** What can be told of a moment in an agent's life. */
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
        { heading: 'Apps', choices: byRef(apps.items) },
        { heading: 'Agents', choices: byRef(agents.items) },
      ]}
      isLoading={apps.isLoading || agents.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => onChoose(choice.value, undefined)}
    />
  )
}

/** Skills go by their id; the name of one that was chosen before is asked for. */
export const SkillPicker = ({ label, value, onChoose }: PickProps<RowOf<'skills.list'>>) => {
  const [term, setTerm] = useState('')
  const skills = useMatches('skills.list', term, { include_others: true, ...byName })
  const offered = skills.items.find(({ id }) => id === value)
  const held = useQuery({
    ...read('skills.get', { path: { id: value } }),
    enabled: value !== '' && !offered && !skills.isLoading,
    retry: false,
  })
  const named = offered ?? held.data
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

/** Servers go by their slug: the workspace's own first. */
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
        { heading: 'Your servers', choices: bySlug(own.items) },
        { heading: 'Directory', choices: bySlug(listed.items) },
      ]}
      isLoading={own.isLoading || listed.isLoading}
      onTerm={setTerm}
      onChoose={(choice) => onChoose(choice.value, undefined)}
    />
  )
}
