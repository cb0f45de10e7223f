// A new version from a bundle that lies on this machine: read here, sent with its progress, and registered.
import type { App, AppVersion, DeployApp } from '@millrace/contract/apps'
import { useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { uploadFile } from '../forms/upload.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CheckField } from '../ui/field.tsx'
import { notify } from '../ui/notify.ts'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { saidIn, textIn, versionFrom } from './bundle.ts'
import { zipEntries } from './zip.ts'

type Declared = { body: DeployApp; notices: readonly string[] }

/** What the bundle declares, once it has an address. */
const declarationIn = async (file: File, app: App, before: AppVersion): Promise<(repository: string) => Declared> => {
  const entries = zipEntries(new Uint8Array(await file.arrayBuffer()))
  const textOf = async (path: string): Promise<string | undefined> => {
    const found = entries.find(({ name }) => name === path)
    return found && textIn(await found.read())
  }
  const said = saidIn(await textOf('functions_schema.json'), before)
  const written = await textOf('inf.yml')
  if (written === undefined)
    return (repository) => ({ body: versionFrom(app, before, { repository, said }), notices: [] })
  const { declaredBy, manifestIn } = await import('./manifest.ts')
  const settled = manifestIn(written)
  return (repository) => declaredBy(settled, app, { repository, said })
}

type Work = { app: App; before: AppVersion; file: File; staged: boolean; onShare: (share: number) => void }

const deploy = async ({ app, before, file, staged, onShare }: Work): Promise<App> => {
  const declared = await declarationIn(file, app, before).catch((error: unknown) => {
    throw new Problem({ title: 'The bundle cannot be read', detail: (error as Error).message }, 0, undefined)
  })
  const { uri } = await uploadFile(file, onShare, 'apps')
  const { body, notices } = declared(uri)
  const made = await call('apps.deploy', { body: { ...body, ...(staged ? { preserve_current_version: true } : {}) } })
  for (const notice of notices) notify(notice)
  return made
}

export const DeployVersion = ({ app, before }: { app: App; before: AppVersion }) => {
  const chooser = useRef<HTMLInputElement>(null)
  const [staged, setStaged] = useState(true)
  const [share, setShare] = useState(0)
  const act = useAct({
    work: (file: File) => deploy({ app, before, file, staged, onShare: setShare }),
    touches: ['apps'],
    after: ({ version, version_id }) => {
      const made = version?.short_id ?? ''
      notify(version?.id === version_id ? `${made} runs from now on` : `${made} is there, and can be made current`)
      for (const { message } of version?.warnings ?? []) notify(message)
    },
    quiet: true,
  })
  return (
    <Panel title="New version">
      <div className="flex flex-col gap-3">
        <p className="text-soft">
          From a zip of the app’s code, such as the one under Code. What its <code>inf.yml</code> says counts, as with{' '}
          <code>npx millrace deploy</code>; its functions are those of the <code>functions_schema.json</code> beside it.
          Without these files they stay as they are.
        </p>
        <CheckField
          label="Keep the current version running"
          help="The new one is made current by hand, once it has been tried"
          checked={staged}
          onChange={(event) => setStaged(event.target.checked)}
        />
        <input
          ref={chooser}
          type="file"
          accept=".zip,application/zip"
          aria-label="Bundle of the new version"
          className="hidden"
          onChange={(event) => {
            const file = event.target.files?.[0]
            event.target.value = ''
            setShare(0)
            if (file) act.mutate(file)
          }}
        />
        <Button className="self-start" busy={act.isPending} onClick={() => chooser.current?.click()}>
          Deploy a zip
        </Button>
        {act.isPending ? (
          <progress
            aria-label="How much of the bundle is sent"
            className="w-full accent-accent"
            value={share}
            max={1}
          />
        ) : null}
        {act.error ? <ProblemNote error={act.error} /> : null}
      </div>
    </Panel>
  )
}
