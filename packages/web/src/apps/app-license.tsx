// The license in the bundle of an app, and whether the signed-in person accepted this text or an earlier one.
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
import { strings } from './strings.ts'
import type { ZipEntry } from './zip.ts'

const words = strings.license

const isLicense = ({ name }: ZipEntry): boolean => /^licen[cs]e(\.(md|txt))?$/i.test(name)

/** `not_found` means that the person has not accepted a license yet. */
const acceptedBy = async (appId: string, signal: AbortSignal): Promise<License | null> => {
  try {
    return await call('apps.license', { path: { id: appId } }, { signal })
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

const AcceptanceStatus = ({ accepted, text }: { accepted: License | null; text: string }) => {
  if (accepted === null) return <Badge>{words.notAccepted}</Badge>
  if (accepted.license !== text) return <Badge tone="warn">{words.changed}</Badge>
  return (
    <span className="flex items-center gap-2 text-faint">
      <Badge tone="ok">{words.accepted}</Badge> <Ago time={accepted.updated_at} />
    </span>
  )
}

const LicenseText = ({ app, text }: { app: App; text: string }) => {
  const acceptance = useQuery({
    queryKey: ['apps', 'apps.license', app.id],
    queryFn: ({ signal }) => acceptedBy(app.id, signal),
  })
  const accept = useAct({
    work: () => call('apps.accept_license', { path: { id: app.id }, body: { license: text } }),
    done: words.done,
    after: () => acceptance.refetch(),
  })
  return (
    <Panel
      title={words.title}
      actions={acceptance.data === undefined ? null : <AcceptanceStatus accepted={acceptance.data} text={text} />}
    >
      <div className="flex flex-col items-start gap-3">
        <pre
          className="max-h-60 w-full overflow-y-auto whitespace-pre-wrap font-mono text-[12px] leading-5"
          tabIndex={0}
        >
          {text}
        </pre>
        {acceptance.error ? <ProblemNote error={acceptance.error} /> : null}
        {acceptance.data === undefined || acceptance.data?.license === text ? null : (
          <Button busy={accept.isPending} onClick={() => accept.mutate()}>
            {words.accept}
          </Button>
        )}
      </div>
    </Panel>
  )
}

/** Shown if the bundle contains a license file. */
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
  return text === undefined ? <SkeletonRows rows={3} /> : <LicenseText app={app} text={text} />
}
