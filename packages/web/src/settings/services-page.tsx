// Custom services of the workspace: services that are not built in, with their authentication.
import type { AuthProvider } from '@millrace/contract/auth-providers'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plug, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { RedirectAddress } from '../secrets/redirect-address.tsx'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { namespaceFrom } from './namespace.ts'
import { draftOf, emptyDraft, type ServiceDraft, serviceOf, type Way, ways } from './service.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

const touches = ['auth_providers', 'credentials']

type PartProps = { draft: ServiceDraft; set: (change: Partial<ServiceDraft>) => void; isKnown: boolean }

const OauthPart = ({ draft, set, isKnown }: PartProps) => (
  <>
    <TextField
      label={strings.services.authorizationUrl}
      type="url"
      required
      placeholder="https://crm.example/oauth/authorize"
      value={draft.authorizationEndpoint}
      onChange={(event) => set({ authorizationEndpoint: event.target.value })}
    />
    <TextField
      label={strings.services.tokenUrl}
      type="url"
      required
      placeholder="https://crm.example/oauth/token"
      value={draft.tokenEndpoint}
      onChange={(event) => set({ tokenEndpoint: event.target.value })}
    />
    <TextField
      label={strings.services.scopes}
      placeholder="read write"
      help={strings.services.scopesHelp}
      value={draft.scopes}
      onChange={(event) => set({ scopes: event.target.value })}
    />
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={strings.services.clientId}
        autoComplete="off"
        help={isKnown ? strings.services.keepCurrent : strings.services.clientIdHelp}
        value={draft.clientId}
        onChange={(event) => set({ clientId: event.target.value })}
      />
      <TextField
        label={strings.services.clientSecret}
        type="password"
        autoComplete="off"
        help={isKnown ? strings.services.keepCurrent : undefined}
        value={draft.clientSecret}
        onChange={(event) => set({ clientSecret: event.target.value })}
      />
    </div>
  </>
)

const ServiceForm = ({ stored, onDone }: { stored: AuthProvider | undefined; onDone: () => void }) => {
  const [draft, setDraft] = useState(stored ? draftOf(stored) : emptyDraft)
  const set = (change: Partial<ServiceDraft>) => setDraft((before) => ({ ...before, ...change }))
  const slug = stored?.slug ?? namespaceFrom(draft.name)
  const save = useAct({
    work: () => {
      const body = serviceOf({ ...draft, slug }, stored)
      return stored
        ? call('auth_providers.update', { path: { id: stored.id }, body })
        : call('auth_providers.create', { body })
    },
    touches,
    done: stored ? uiStrings.saved : strings.services.added(draft.name),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={stored ? uiStrings.save : strings.services.add}>
      <TextField
        label={uiStrings.name}
        required
        autoFocus
        placeholder={strings.services.namePlaceholder}
        help={slug === '' ? undefined : strings.services.slugHelp(slug)}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <SelectField
        label={strings.services.method}
        value={draft.way}
        onChange={(event) => set({ way: event.target.value as Way })}
      >
        {Object.entries(ways).map(([way, words]) => (
          <option key={way} value={way}>
            {words}
          </option>
        ))}
      </SelectField>
      {draft.way === 'oauth2' ? <OauthPart draft={draft} set={set} isKnown={stored !== undefined} /> : null}
      {draft.way === 'oauth2' && slug !== '' ? <RedirectAddress provider={slug} /> : null}
    </Form>
  )
}

type RowProps = { service: AuthProvider; mayChange: boolean; change: () => void }

const Row = ({ service, mayChange, change }: RowProps) => {
  const { id, slug, display_name: name } = service
  const remove = useAct({
    work: () => call('auth_providers.delete', { path: { id } }),
    touches,
    done: uiStrings.deletedThing(name),
    quiet: true,
  })
  return (
    <li className="flex flex-wrap items-center gap-2 border-b px-3 py-2 last:border-0">
      <span className="font-medium">{name}</span>
      <code className="font-mono text-[12px] text-faint">{slug}</code>
      <span className="min-w-0 grow truncate">
        <Badge>{ways[draftOf(service).way]}</Badge>
      </span>
      <Link to="/connections" className="text-accent hover:underline">
        {strings.services.connect}
      </Link>
      {mayChange ? (
        <>
          <Button aria-label={strings.services.editThing(name)} onClick={change}>
            {uiStrings.edit}
          </Button>
          <ConfirmButton
            label={uiStrings.deleteThing(name)}
            icon={<Trash2 aria-hidden />}
            title={uiStrings.deleteTitle(name)}
            confirm={uiStrings.delete}
            act={() => remove.mutateAsync()}
          >
            {strings.services.deleteText(name)}
          </ConfirmButton>
        </>
      ) : null}
    </li>
  )
}

const ServicesPage = () => {
  const { isAdmin } = useSession()
  const services = useQuery(read('auth_providers.list', { query: { scope: 'team' } }))
  const [opened, setOpened] = useState<AuthProvider | 'new' | null>(null)
  const close = () => setOpened(null)
  const stored = opened === 'new' || opened === null ? undefined : opened
  const add = isAdmin ? (
    <Button look="primary" onClick={() => setOpened('new')}>
      {strings.services.add}
    </Button>
  ) : null
  return (
    <SettingsFrame title={strings.services.title} actions={add}>
      <Panel flush>
        {services.error ? <ProblemNote error={services.error} retry={() => void services.refetch()} /> : null}
        {services.isPending ? <SkeletonRows rows={3} /> : null}
        {services.data?.length === 0 ? (
          <Empty icon={Plug} title={strings.services.empty} action={add}>
            {strings.services.emptyText}
          </Empty>
        ) : null}
        <ul>
          {(services.data ?? []).map((service) => (
            <Row key={service.id} service={service} mayChange={isAdmin} change={() => setOpened(service)} />
          ))}
        </ul>
      </Panel>
      <Dialog open={opened !== null} onClose={close} title={stored?.display_name ?? strings.services.add}>
        {opened === null ? null : <ServiceForm stored={stored} onDone={close} />}
      </Dialog>
    </SettingsFrame>
  )
}

export default ServicesPage
