// Aliases: references that redirect to another app or page after a rename.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { type Choice, choicesOf, Picker, useMatches } from '../ui/picker.tsx'
import { type Alias, aliasesIn, refIn } from './aliases.ts'
import { StaffFrame } from './staff-frame.tsx'

const touches = ['ref_routes']
const byName = { include_others: true, sort: [{ field: 'name', dir: 'asc' as const }] }

const kinds = { app: 'An app', page: 'A page' } as const
type Kind = keyof typeof kinds

const AppPicker = ({ chosen, onChoose }: { chosen: Choice | null; onChoose: (choice: Choice) => void }) => {
  const [term, setTerm] = useState('')
  const apps = useMatches('apps.list', term, byName)
  return (
    <Picker
      label="App"
      required
      chosen={chosen}
      groups={[{ choices: choicesOf(apps.items) }]}
      isLoading={apps.isLoading}
      onTerm={setTerm}
      onChoose={onChoose}
    />
  )
}

const Add = () => {
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState<Kind>('app')
  const [app, setApp] = useState<Choice | null>(null)
  const [url, setUrl] = useState('')
  const ref = refIn(typed)
  const add = useAct({
    work: () => {
      const path = ref ?? { namespace: '', name: '' }
      return call('ref_routes.set', { path, body: kind === 'app' ? { app_id: app?.value ?? '' } : { url } })
    },
    touches,
    done: ({ namespace, name }) => `${namespace}/${name} redirects now`,
    after: () => {
      setTyped('')
      setApp(null)
      setUrl('')
    },
    quiet: true,
  })
  const isWhole = ref !== undefined && (kind === 'app' ? app !== null : url !== '')
  return (
    <Panel title="Add alias">
      <Form act={add} submit="Add alias" disabled={!isWhole}>
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField
            label="Alias"
            required
            placeholder="mill/old-name"
            autoComplete="off"
            fault={typed === '' || ref ? undefined : 'Enter a namespace and a name separated by a slash'}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <SelectField label="Redirects to" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
            {Object.entries(kinds).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </SelectField>
          {kind === 'app' ? (
            <AppPicker chosen={app} onChoose={setApp} />
          ) : (
            <TextField
              label="Address"
              required
              placeholder="https://mill.example/moved"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </div>
      </Form>
    </Panel>
  )
}

const Target = ({ target }: Pick<Alias, 'target'>) => {
  if (target.kind === 'page') return <span className="break-all">{target.url}</span>
  const { namespace, name } = target
  return (
    <>
      <Link to="/apps/$namespace/$name" params={{ namespace, name }} className="text-accent hover:underline">
        {namespace}/{name}
      </Link>
      {target.function === undefined ? null : <span className="text-faint"> : {target.function}</span>}
    </>
  )
}

const Row = ({ alias: { namespace, name, target } }: { alias: Alias }) => {
  const remove = useAct({
    work: () => call('ref_routes.remove', { path: { namespace, name } }),
    touches,
    done: `${namespace}/${name} no longer redirects`,
    quiet: true,
  })
  return (
    <li className="flex items-center gap-3 border-b px-3 py-1.5 last:border-0">
      <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-3">
        <code className="font-mono text-[12px]">
          {namespace}/{name}
        </code>
        <span className="text-faint">redirects to</span>
        <span className="min-w-0">
          <Target target={target} />
        </span>
      </span>
      <ConfirmButton
        label={`Delete ${namespace}/${name}`}
        icon={<Trash2 aria-hidden />}
        title={`Delete ${namespace}/${name}?`}
        confirm="Delete"
        act={() => remove.mutateAsync()}
      >
        Calls and links that use this name are no longer found.
      </ConfirmButton>
    </li>
  )
}

const AliasList = () => {
  const { data, error, refetch } = useQuery(read('ref_routes.site'))
  const aliases = data && aliasesIn(data.redirects)
  return (
    <div className="flex flex-col gap-4">
      <Add />
      <Panel title="Public aliases" flush>
        {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
        {aliases || error ? null : <SkeletonRows rows={3} />}
        {aliases?.length === 0 ? (
          <Empty title="No aliases">
            After an app was transferred or renamed, an alias redirects its old reference.
          </Empty>
        ) : null}
        <ul aria-label="Aliases">
          {(aliases ?? []).map((alias) => (
            <Row key={`${alias.namespace}/${alias.name}`} alias={alias} />
          ))}
        </ul>
      </Panel>
      <p className="text-[12px] text-faint">An alias of an app that is not public works but is not listed.</p>
    </div>
  )
}

const AliasesPage = () => <StaffFrame title="Aliases">{() => <AliasList />}</StaffFrame>

export default AliasesPage
