// Secrets: names, masked values and versions. Revealing a value asks first and is recorded in the audit log.
import type { Secret } from '@millrace/contract/secrets'
import { useSearch } from '@tanstack/react-router'
import { Eye, History, KeyRound, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { searchFor, wordsIn } from '../api/list-address.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, Panel, ProblemNote } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { privateHostOf } from './private-address.ts'
import { SecretVersions } from './secret-versions.tsx'
import { strings } from './strings.ts'

const SecretForm = ({ secret, onDone }: { secret: Secret | null; onDone: () => void }) => {
  const [key, setKey] = useState(secret?.key ?? '')
  const [value, setValue] = useState('')
  const [description, setDescription] = useState(secret?.description ?? '')
  const privateHost = privateHostOf(value.trim())
  const save = useAct({
    work: () =>
      secret
        ? call('secrets.update', { path: { key: secret.key }, body: { value, description } })
        : call('secrets.create', { body: { key, value, description } }),
    touches: ['secrets'],
    done: secret ? 'The new value applies to the next run' : `${key} is stored`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={secret ? 'Replace value' : 'Store'}>
      {secret ? null : (
        <TextField
          label="Name"
          required
          autoFocus
          placeholder="OPENAI_API_KEY"
          help="The environment variable that apps read"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
      <TextField
        label="Value"
        required
        type="password"
        autoComplete="off"
        help={privateHost === undefined ? undefined : strings.privateHost(privateHost)}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
    </Form>
  )
}

const Reveal = ({ secret, onClose }: { secret: Secret; onClose: () => void }) => {
  const reveal = useAct({ work: () => call('secrets.reveal', { path: { key: secret.key } }), quiet: true })
  return (
    <Dialog open onClose={onClose} title={`Reveal ${secret.key}?`}>
      <div className="flex flex-col gap-3">
        {reveal.data ? (
          <div className="flex items-center gap-2 rounded-md border bg-canvas p-2">
            <code className="min-w-0 grow break-all font-mono">{reveal.data.value}</code>
            <CopyButton text={reveal.data.value} label="Copy value" />
          </div>
        ) : (
          <>
            <p className="text-soft">
              The value will be shown on this screen. The audit log records that you revealed it.
            </p>
            {reveal.error ? <ProblemNote error={reveal.error} /> : null}
            <Button className="self-end" busy={reveal.isPending} onClick={() => reveal.mutate()}>
              Reveal
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

const SecretsPage = () => {
  const mayManage = useCan()('manage_vault')
  const sorting = useSort('key', 'asc')
  const { q } = wordsIn(useSearch({ from: '/secrets' }))
  const [term, setTerm] = useTerm(q)
  const list = useList('secrets.list', { sort: [sorting.sort], ...searchFor(q) })
  const [edited, setEdited] = useState<Secret | 'new' | null>(null)
  const [revealed, setRevealed] = useState<Secret | null>(null)
  const [traced, setTraced] = useState<Secret | null>(null)
  const remove = useAct({
    work: (key: string) => call('secrets.delete', { path: { key } }),
    touches: ['secrets'],
    done: 'Secret deleted',
  })
  const columns: Column<Secret>[] = [
    {
      id: 'key',
      header: 'Name',
      width: '2fr',
      sort: 'key',
      cell: ({ key }) => <code className="font-medium font-mono text-[12px]">{key}</code>,
    },
    {
      id: 'value',
      header: 'Value',
      cell: ({ masked_value }) => <code className="font-mono text-[12px] text-soft">{masked_value}</code>,
    },
    {
      id: 'description',
      header: 'Description',
      width: '2fr',
      wide: true,
      cell: ({ description }) => <span className="text-soft">{description}</span>,
    },
    { id: 'version', header: 'Versions', width: '100px', wide: true, cell: ({ version }) => version },
    {
      id: 'time',
      header: 'Updated',
      sort: 'updated_at',
      width: '100px',
      wide: true,
      cell: ({ updated_at }) => <Ago time={updated_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '96px',
      end: true,
      cell: (secret) =>
        mayManage ? (
          <span className="inline-flex">
            <Button look="quiet" label={`Versions of ${secret.key}`} onClick={() => setTraced(secret)}>
              <History aria-hidden />
            </Button>
            <Button look="quiet" label={`Reveal ${secret.key}`} onClick={() => setRevealed(secret)}>
              <Eye aria-hidden />
            </Button>
            <ConfirmButton
              label={`Delete ${secret.key}`}
              icon={<Trash2 aria-hidden />}
              title={`Delete ${secret.key}?`}
              confirm="Delete"
              act={() => remove.mutateAsync(secret.key)}
            >
              Apps that need it can no longer run. All its versions are deleted.
            </ConfirmButton>
          </span>
        ) : null,
    },
  ]
  const add = mayManage ? (
    <Button look="primary" onClick={() => setEdited('new')}>
      New secret
    </Button>
  ) : null
  return (
    <Page title="Secrets" note="Encrypted values that apps need and people should not read." actions={add}>
      <SearchField label="Search secrets" className="mb-3 sm:max-w-64" value={term} onChange={setTerm} />
      <Panel flush>
        <Table
          label="Secrets"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          {...(mayManage ? { onOpen: setEdited } : {})}
          empty={
            q === undefined ? (
              <Empty icon={KeyRound} title="No secrets yet" action={add}>
                Store API keys of model providers and other services here; apps read them by name.
              </Empty>
            ) : (
              <Empty icon={KeyRound} title="No results" action={<ButtonLink to="/secrets">Show all</ButtonLink>} />
            )
          }
        />
      </Panel>
      <Dialog
        open={edited !== null}
        onClose={() => setEdited(null)}
        title={edited === 'new' || edited === null ? 'New secret' : `New value for ${edited.key}`}
      >
        <SecretForm secret={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
      </Dialog>
      <Dialog open={traced !== null} onClose={() => setTraced(null)} title={`Versions of ${traced?.key ?? ''}`}>
        {traced ? <SecretVersions secret={traced} /> : null}
      </Dialog>
      {revealed ? <Reveal secret={revealed} onClose={() => setRevealed(null)} /> : null}
    </Page>
  )
}

export default SecretsPage
