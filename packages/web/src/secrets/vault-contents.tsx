// The secrets and connections of a vault, and those that can be added.
import type { Credential } from '@millrace/contract/credentials'
import type { Vault } from '@millrace/contract/vaults'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { searchFor } from '../api/list-address.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Picker, useMatches } from '../ui/picker.tsx'
import { useSettled } from '../ui/use-settled.ts'

type Member = { id: string; name: string; note: string }

type MembersProps = {
  heading: string
  /** The singular noun, such as `secret`. */
  one: string
  inside: readonly Member[] | undefined
  /** Matching items of the whole workspace; items already inside are left out here. */
  all: readonly Member[]
  term: string
  onTerm: (term: string) => void
  error: Error | null
  add: (id: string) => Promise<unknown>
  remove: (id: string) => Promise<unknown>
}

const Members = ({ heading, one, inside, all, term, onTerm, error, ...acts }: MembersProps) => {
  const add = useAct({ work: acts.add, touches: ['vaults'] })
  const remove = useAct({ work: acts.remove, touches: ['vaults'] })
  if (!inside) return error ? <ProblemNote error={error} /> : <SkeletonRows rows={2} />
  const memberIds = new Set(inside.map(({ id }) => id))
  const outside = all.filter(({ id }) => !memberIds.has(id))
  return (
    <section aria-label={heading} className="flex flex-col gap-2">
      <h3 className="font-medium">{heading}</h3>
      {inside.length === 0 ? <p className="text-soft">This vault has no {heading.toLowerCase()} yet.</p> : null}
      <ul className="flex flex-col">
        {inside.map(({ id, name, note }) => (
          <li key={id} className="flex items-center gap-2 border-b py-1 last:border-0">
            <code className="min-w-0 grow truncate font-mono text-[12px]">{name}</code>
            <code className="font-mono text-[12px] text-faint">{note}</code>
            <Button look="quiet" label={`Remove ${name}`} onClick={() => remove.mutate(id)}>
              <Trash2 aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {outside.length > 0 || term !== '' ? (
        <Picker
          // Cleared after one was added.
          key={inside.length}
          label={`Add ${one}`}
          chosen={null}
          groups={[{ choices: outside.map(({ id, name, note }) => ({ value: id, label: name, note })) }]}
          onTerm={onTerm}
          onChoose={({ value }) => add.mutate(value)}
        />
      ) : null}
    </section>
  )
}

const Secrets = ({ vaultId }: { vaultId: string }) => {
  const { data, error } = useQuery(read('vaults.secrets', { path: { id: vaultId } }))
  const [term, setTerm] = useState('')
  const all = useMatches('secrets.list', term, { sort: [{ field: 'key', dir: 'asc' }] })
  const memberOf = ({ id, key, masked_value }: { id: string; key: string; masked_value: string }): Member => ({
    id,
    name: key,
    note: masked_value,
  })
  return (
    <Members
      heading="Secrets"
      one="secret"
      inside={data?.map(memberOf)}
      all={all.items.map(memberOf)}
      term={term}
      onTerm={setTerm}
      error={error}
      add={(id) => call('vaults.add_secret', { path: { id: vaultId }, body: { secret_id: id } })}
      remove={(id) => call('vaults.remove_secret', { path: { id: vaultId }, body: { secret_id: id } })}
    />
  )
}

/** Connections that the server accepts into a vault: the workspace's own, connected, and not inherited. */
const fits = ({ team_id, scope, status, grant }: Partial<Credential>, teamId: string): boolean =>
  team_id === teamId && scope !== 'org' && scope !== 'platform' && status !== 'disconnected' && grant === 'token'

const Connections = ({ vaultId }: { vaultId: string }) => {
  const { team } = useSession()
  const { data, error } = useQuery(read('vaults.credentials', { path: { id: vaultId } }))
  const [term, setTerm] = useState('')
  const asked = read('credentials.list', { body: { limit: 100, ...searchFor(useSettled(term)) } })
  const all = useQuery({ ...asked, placeholderData: keepPreviousData })
  const candidates = (all.data?.items ?? []).filter((credential) => fits(credential, team.id))
  return (
    <Members
      heading="Connections"
      one="connection"
      inside={data?.map(({ id, display_name, provider, status }) => ({
        id,
        name: display_name || provider,
        note: status,
      }))}
      all={candidates.map(({ id = '', display_name, provider = '', account_name, status = '' }) => ({
        id,
        name: display_name || provider,
        note: account_name || status,
      }))}
      term={term}
      onTerm={setTerm}
      error={error}
      add={(id) => call('vaults.add_credential', { path: { id: vaultId }, body: { credential_id: id } })}
      remove={(id) => call('vaults.remove_credential', { path: { id: vaultId }, body: { credential_id: id } })}
    />
  )
}

export const VaultContents = ({ vault }: { vault: Vault }) => (
  <div className="flex flex-col gap-5">
    <Secrets vaultId={vault.id} />
    <Connections vaultId={vault.id} />
  </div>
)
