// The license that lies beside an app's code, and whether this person has accepted it: in these words, or in others before.
import type { App, License } from '@millrace/contract/apps'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { textIn } from './bundle.ts'
import type { ZipEntry } from './zip.ts'

const isLicense = ({ name }: ZipEntry): boolean => /^licen[cs]e(\.(md|txt))?$/i.test(name)

/** Nobody who has accepted nothing has a record. */
const acceptedBy = async (appId: string, signal: AbortSignal): Promise<License | null> => {
  try {
    return await call('apps.license', { path: { id: appId } }, { signal })
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

const Standing = ({ accepted, text }: { accepted: License | null; text: string }) => {
  if (accepted === null) return <Badge>not accepted by you</Badge>
  if (accepted.license !== text) return <Badge tone="warn">changed since you accepted it</Badge>
  return (
    <span className="flex items-center gap-2 text-faint">
      <Badge tone="ok">accepted by you</Badge> <Ago time={accepted.updated_at} />
    </span>
  )
}

const Shown = ({ app, text }: { app: App; text: string }) => {
  const asked = useQuery({
    queryKey: ['apps', 'apps.license', app.id],
    queryFn: ({ signal }) => acceptedBy(app.id, signal),
  })
  const accept = useAct({
    work: () => call('apps.accept_license', { path: { id: app.id }, body: { license: text } }),
    done: 'Your acceptance is noted, with these words',
    after: () => asked.refetch(),
  })
  return (
    <Panel title="License" actions={asked.data === undefined ? null : <Standing accepted={asked.data} text={text} />}>
      <div className="flex flex-col items-start gap-3">
        <pre
          className="max-h-60 w-full overflow-y-auto whitespace-pre-wrap font-mono text-[12px] leading-5"
          tabIndex={0}
        >
          {text}
        </pre>
        {asked.error ? <ProblemNote error={asked.error} /> : null}
        {asked.data === undefined || asked.data?.license === text ? null : (
          <Button busy={accept.isPending} onClick={() => accept.mutate()}>
            Accept the license
          </Button>
        )}
      </div>
    </Panel>
  )
}

/** Shown where the bundle has one. */
export const AppLicense = ({ app, entries }: { app: App; entries: readonly ZipEntry[] }) => {
  const entry = entries.find(isLicense)
  const bundle = app.version?.repository ?? ''
  const { data: text } = useQuery({
    queryKey: ['bundles', bundle, entry?.name],
    queryFn: async () => (entry && textIn(await entry.read())) ?? null,
    enabled: entry !== undefined,
    gcTime: 0,
  })
  if (entry === undefined || text === null) return null
  return text === undefined ? <SkeletonRows rows={3} /> : <Shown app={app} text={text} />
}
