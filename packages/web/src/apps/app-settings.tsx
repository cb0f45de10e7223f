// Title, description and visibility of an app of this workspace; what it asks for.
import type { App } from '@millrace/contract/apps'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { AppListing } from '../store/app-listing.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { sizeText } from '../ui/time-text.ts'
import { AppStatus, GiveApp } from './app-acts.tsx'
import { AppUsage } from './app-usage.tsx'

const appVisibilities = ['private', 'team', 'public'] as const

const Facts = ({ app }: { app: App }) => {
  const version = app.version
  const code = version?.repository ?? ''
  const facts: [string, string][] = [
    ['Kernel', version?.kernel ?? '–'],
    ['Memory', version && version.resources.ram > 0 ? sizeText(version.resources.ram) : 'any'],
    ['Graphics cards', version && version.resources.gpu.count > 0 ? String(version.resources.gpu.count) : 'none'],
    ['Secrets', version?.required_secrets.map(({ key }) => key).join(', ') || 'none'],
    ['Visibility', app.visibility],
  ]
  return (
    <Panel title="What it asks for">
      <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
        <dt className="text-faint">Code</dt>
        <dd className="break-all font-mono text-[12px]">
          {code === '' ? (
            'none'
          ) : (
            <a href={code} download className="text-accent hover:underline">
              {code.split('/').at(-1)}
            </a>
          )}
        </dd>
        <dt className="text-faint">Checksum</dt>
        <dd className="break-all font-mono text-[12px]">{version?.checksum || '–'}</dd>
      </dl>
    </Panel>
  )
}

const Edit = ({ app }: { app: App }) => {
  const router = useRouter()
  const remove = useRemoval({
    work: () => call('apps.delete', { path: { id: app.id } }),
    resource: 'apps',
    done: `${app.namespace}/${app.name} is deleted`,
    leave: () => router.navigate({ to: '/apps' }),
  })
  const [title, setTitle] = useState(app.title)
  const [description, setDescription] = useState(app.description)
  const save = useAct({
    work: () => call('apps.patch', { path: { id: app.id }, body: { title, description } }),
    touches: ['apps'],
    done: 'Saved',
  })
  const show = useAct({
    work: (visibility: (typeof appVisibilities)[number]) =>
      call('apps.set_visibility', { path: { id: app.id }, body: { visibility } }),
    touches: ['apps'],
    done: 'Visibility changed',
  })
  return (
    <Panel title="Settings">
      <div className="flex flex-col gap-4">
        <TextField label="Title" value={title} onChange={(event) => setTitle(event.target.value)} />
        <AreaField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
        <Button className="self-start" busy={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
        <SelectField
          label="Who sees it"
          value={app.visibility}
          onChange={(event) => show.mutate(event.target.value as (typeof appVisibilities)[number])}
        >
          {appVisibilities.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <div>
          <ConfirmButton
            label="Delete the app"
            title={`Delete ${app.namespace}/${app.name}?`}
            confirm="Delete"
            act={remove}
          >
            Its versions go with it; flows and triggers that use it will fail. Earlier runs stay.
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  )
}

export const AppSettings = ({ app }: { app: App }) => {
  const { team } = useSession()
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {app.team_id === team.id ? (
        <div className="flex flex-col gap-4">
          <Edit app={app} />
          <AppStatus key={`${app.status} ${app.status_message}`} app={app} />
          <GiveApp app={app} />
        </div>
      ) : null}
      <div className="flex flex-col gap-4">
        <Facts app={app} />
        <AppUsage app={app} />
        <AppListing app={app} />
      </div>
    </div>
  )
}
