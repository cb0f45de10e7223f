// The files of a version. The bundle is downloaded when the tab is opened and is read in the browser.
import type { App } from '@millrace/contract/apps'
import { useQuery } from '@tanstack/react-query'
import { FileCode2 } from 'lucide-react'
import { useState } from 'react'
import { Problem } from '../api/problem.ts'
import { CodeEditor } from '../ui/code.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { sizeText } from '../ui/time-text.ts'
import { AppLicense } from './app-license.tsx'
import { languageOf, textIn } from './bundle.ts'
import { strings } from './strings.ts'
import { type ZipEntry, zipEntries } from './zip.ts'

const words = strings.code

const maxBytes = 32 * 1024 * 1024

/** The URL may name another host of this server, but the page may only connect to its own host. */
const sameOriginPath = (repository: string): string | undefined => {
  const url = URL.parse(repository)
  return url?.pathname.startsWith('/media/') ? url.pathname + url.search : undefined
}

const fetchBundle = async (address: string, signal: AbortSignal): Promise<ZipEntry[]> => {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Problem({ title: words.fetchFailed }, response.status, undefined)
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes)
    throw new Problem({ title: words.tooLarge }, 0, undefined)
  return zipEntries(new Uint8Array(await response.arrayBuffer()))
}

const FileText = ({ entry, bundle }: { entry: ZipEntry; bundle: string }) => {
  const { data, error } = useQuery({
    queryKey: ['bundles', bundle, entry.name],
    queryFn: async () => textIn(await entry.read()) ?? null,
    gcTime: 0,
  })
  if (error) return <ProblemNote error={error} />
  if (data === undefined) return <SkeletonRows rows={4} />
  if (data === null) return <p className="p-3 text-faint">{words.notText}</p>
  return <CodeEditor label={words.fileCode(entry.name)} language={languageOf(entry.name)} value={data} />
}

const mainFile = (entries: readonly ZipEntry[]): ZipEntry | undefined =>
  entries.find(({ name }) => /(^|\/)(inference|app|main|index)\.(py|m?js|ts)$/.test(name)) ?? entries[0]

const Files = ({ entries, bundle }: { entries: readonly ZipEntry[]; bundle: string }) => {
  const [chosen, setChosen] = useState(() => mainFile(entries))
  return (
    <div className="grid items-start gap-4 md:grid-cols-[220px_minmax(0,1fr)]">
      <ul aria-label={words.files} className="max-h-[70dvh] overflow-y-auto">
        {entries.map((entry) => (
          <li key={entry.name}>
            <button
              type="button"
              aria-pressed={entry.name === chosen?.name}
              className="flex w-full items-baseline gap-2 rounded px-2 py-1 text-left hover:bg-hover aria-pressed:bg-hover"
              onClick={() => setChosen(entry)}
            >
              <code className="min-w-0 grow break-all font-mono text-[12px]">{entry.name}</code>
              <span className="figures shrink-0 text-[11px] text-faint">{sizeText(entry.size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {chosen ? <FileText key={chosen.name} entry={chosen} bundle={bundle} /> : null}
    </div>
  )
}

export const AppCode = ({ app }: { app: App }) => {
  const repository = app.version?.repository ?? ''
  const address = sameOriginPath(repository)
  const bundle = useQuery({
    queryKey: ['bundles', repository],
    queryFn: ({ signal }) => fetchBundle(address ?? '', signal),
    enabled: address !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (repository === '')
    return (
      <Empty icon={FileCode2} title={words.emptyTitle}>
        {words.emptyText}
      </Empty>
    )
  return (
    <div className="flex flex-col gap-4">
      <Panel
        title={words.title}
        actions={
          <a href={address ?? repository} download className="text-accent hover:underline">
            {uiStrings.download}
          </a>
        }
      >
        {address === undefined ? <p className="text-soft">{words.otherHost}</p> : null}
        {bundle.error ? <ProblemNote error={bundle.error} retry={() => void bundle.refetch()} /> : null}
        {bundle.isLoading ? <SkeletonRows rows={6} /> : null}
        {bundle.data ? <Files key={repository} entries={bundle.data} bundle={repository} /> : null}
      </Panel>
      {bundle.data ? <AppLicense key={repository} app={app} entries={bundle.data} /> : null}
    </div>
  )
}
