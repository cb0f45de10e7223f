// Deploys a version from a local zip archive: reads it in the browser, uploads it and registers the version.
import type { App, AppVersion, DeployApp } from '@millrace/contract/apps'
import { useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { uploadFile } from '../forms/upload.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { commandsFor } from '../ui/commands.ts'
import { CheckField } from '../ui/field.tsx'
import { notify } from '../ui/notify.ts'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { discoveredIn, textIn, versionFrom } from './bundle.ts'
import { strings } from './strings.ts'
import { zipEntries } from './zip.ts'

const words = strings.deploy

type Declared = { body: DeployApp; notices: readonly string[] }

/** Reads the declaration of the bundle; its URL is known after the upload. */
const declarationIn = async (file: File, app: App, before: AppVersion): Promise<(repository: string) => Declared> => {
  const entries = zipEntries(new Uint8Array(await file.arrayBuffer()))
  const textOf = async (path: string): Promise<string | undefined> => {
    const found = entries.find(({ name }) => name === path)
    return found && textIn(await found.read())
  }
  const discovered = discoveredIn(await textOf('functions_schema.json'), before)
  const manifest = await textOf('inf.yml')
  if (manifest === undefined)
    return (repository) => ({ body: versionFrom(app, before, { repository, discovered }), notices: [] })
  const { declaredBy, manifestIn } = await import('./manifest.ts')
  const settled = manifestIn(manifest)
  return (repository) => declaredBy(settled, app, { repository, discovered })
}

type Work = { app: App; before: AppVersion; file: File; staged: boolean; onShare: (share: number) => void }

const deploy = async ({ app, before, file, staged, onShare }: Work): Promise<App> => {
  const declared = await declarationIn(file, app, before).catch((error: unknown) => {
    throw new Problem({ title: words.unreadable, detail: (error as Error).message }, 0, undefined)
  })
  const { uri } = await uploadFile(file, onShare, 'apps')
  const { body, notices } = declared(uri)
  const deployed = await call('apps.deploy', {
    body: { ...body, ...(staged ? { preserve_current_version: true } : {}) },
  })
  for (const notice of notices) notify(notice)
  return deployed
}

export const DeployVersion = ({ app, before }: { app: App; before: AppVersion }) => {
  const chooser = useRef<HTMLInputElement>(null)
  const [staged, setStaged] = useState(true)
  const [share, setShare] = useState(0)
  const act = useAct({
    work: (file: File) => deploy({ app, before, file, staged, onShare: setShare }),
    touches: ['apps'],
    after: ({ version, version_id }) => {
      const id = version?.short_id ?? ''
      notify(version?.id === version_id ? words.deployed(id) : words.deployedStaged(id))
      for (const { message } of version?.warnings ?? []) notify(message)
    },
    quiet: true,
  })
  return (
    <Panel title={words.title}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">
          {words.intro}
          <code>{commandsFor(location.origin).deployApp}</code>
          {words.introFiles}
        </p>
        <CheckField
          label={words.staged}
          help={words.stagedHelp}
          checked={staged}
          onChange={(event) => setStaged(event.target.checked)}
        />
        <input
          ref={chooser}
          type="file"
          accept=".zip,application/zip"
          aria-label={words.bundle}
          className="hidden"
          onChange={(event) => {
            const file = event.target.files?.[0]
            event.target.value = ''
            setShare(0)
            if (file) act.mutate(file)
          }}
        />
        <Button className="self-start" busy={act.isPending} onClick={() => chooser.current?.click()}>
          {words.button}
        </Button>
        {act.isPending ? (
          <progress aria-label={words.progress} className="w-full accent-accent" value={share} max={1} />
        ) : null}
        {act.error ? <ProblemNote error={act.error} /> : null}
      </div>
    </Panel>
  )
}
