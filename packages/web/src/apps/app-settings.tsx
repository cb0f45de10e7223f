// The settings of an app of this workspace, and the requirements of every app.
import type { App } from '@millrace/contract/apps'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { visibilityLabels, visibilityStrings } from '../shell/visibility.ts'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { AppListing } from '../store/app-listing.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { sizeText } from '../ui/time-text.ts'
import { AppStatus, TransferApp } from './app-actions.tsx'
import { AppUsage } from './app-usage.tsx'
import { strings } from './strings.ts'

const words = strings.settings

const appVisibilities = ['private', 'team', 'public'] as const

const Facts = ({ app }: { app: App }) => {
  const version = app.version
  const code = version?.repository ?? ''
  const facts: [string, string][] = [
    [words.runtime, version?.kernel ?? '–'],
    [words.memory, version && version.resources.ram > 0 ? sizeText(version.resources.ram) : uiStrings.any],
    [words.gpus, version && version.resources.gpu.count > 0 ? String(version.resources.gpu.count) : uiStrings.none],
    [words.secrets, version?.required_secrets.map(({ key }) => key).join(', ') || uiStrings.none],
    [uiStrings.visibility, visibilityLabels[app.visibility]],
  ]
  return (
    <Panel title={words.requirements}>
      <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
        <dt className="text-faint">{strings.code.title}</dt>
        <dd className="break-all font-mono text-[12px]">
          {code === '' ? (
            uiStrings.none
          ) : (
            <a href={code} download className="text-accent hover:underline">
              {code.split('/').at(-1)}
            </a>
          )}
        </dd>
        <dt className="text-faint">{words.checksum}</dt>
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
    done: uiStrings.deletedThing(`${app.namespace}/${app.name}`),
    leave: () => router.navigate({ to: '/apps' }),
  })
  const [title, setTitle] = useState(app.title)
  const [description, setDescription] = useState(app.description)
  const save = useAct({
    work: () => call('apps.patch', { path: { id: app.id }, body: { title, description } }),
    touches: ['apps'],
    done: uiStrings.saved,
  })
  const setVisibility = useAct({
    work: (visibility: (typeof appVisibilities)[number]) =>
      call('apps.set_visibility', { path: { id: app.id }, body: { visibility } }),
    touches: ['apps'],
    done: ({ visibility }) => visibilityStrings.changed(visibility),
  })
  return (
    <Panel title={words.title}>
      <div className="flex flex-col gap-4">
        <TextField label={uiStrings.title} value={title} onChange={(event) => setTitle(event.target.value)} />
        <AreaField
          label={uiStrings.description}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <Button className="self-start" busy={save.isPending} onClick={() => save.mutate()}>
          {uiStrings.save}
        </Button>
        <VisibilityField value={app.visibility} choices={appVisibilities} onChoose={setVisibility.mutate} />
        <div>
          <ConfirmButton
            label={words.delete}
            title={uiStrings.deleteTitle(`${app.namespace}/${app.name}`)}
            confirm={words.delete}
            act={remove}
          >
            {words.deleteText}
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
          <TransferApp app={app} />
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
