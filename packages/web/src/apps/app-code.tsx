// The code of a version: its files, and each of them to be read. The bundle is fetched when somebody looks, and opened here.
import type { App } from '@millrace/contract/apps'
import { useQuery } from '@tanstack/react-query'
import { FileCode2 } from 'lucide-react'
import { useState } from 'react'
import { Problem } from '../api/problem.ts'
import { CodeEditor } from '../ui/code.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { sizeText } from '../ui/time-text.ts'
import { AppLicense } from './app-license.tsx'
import { languageOf, textIn } from './bundle.ts'
import { type ZipEntry, zipEntries } from './zip.ts'

const mostBytes = 32 * 1024 * 1024

/** The bundle's address may name another host of the same server; the page's own is the one it may talk to. */
const nearAddress = (repository: string): string | undefined => {
  const url = URL.parse(repository)
  return url?.pathname.startsWith('/media/') ? url.pathname + url.search : undefined
}

const fetchBundle = async (address: string, signal: AbortSignal): Promise<ZipEntry[]> => {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Problem({ title: 'The code could not be fetched' }, response.status, undefined)
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes)
    throw new Problem({ title: 'The bundle is too large to be shown here' }, 0, undefined)
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
  if (data === null) return <p className="p-3 text-faint">This file is no text, or too long to be shown here.</p>
  return <CodeEditor label={`Code of ${entry.name}`} language={languageOf(entry.name)} value={data} />
}

const startsWith = (entries: readonly ZipEntry[]): ZipEntry | undefined =>
  entries.find(({ name }) => /(^|\/)(inference|app|main|index)\.(py|m?js|ts)$/.test(name)) ?? entries[0]

const Files = ({ entries, bundle }: { entries: readonly ZipEntry[]; bundle: string }) => {
  const [chosen, setChosen] = useState(() => startsWith(entries))
  return (
    <div className="grid items-start gap-4 md:grid-cols-[220px_minmax(0,1fr)]">
      <ul aria-label="Files of the app" className="max-h-[70dvh] overflow-y-auto">
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
  const address = nearAddress(repository)
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
      <Empty icon={FileCode2} title="This version has no code of its own">
        It runs a flow, or its code has not been deployed yet.
      </Empty>
    )
  return (
    <div className="flex flex-col gap-4">
      <Panel
        title="Code"
        actions={
          <a href={address ?? repository} download className="text-accent hover:underline">
            Download
          </a>
        }
      >
        {address === undefined ? (
          <p className="text-soft">The code lies on another server, which a page of this one may not read from.</p>
        ) : null}
        {bundle.error ? <ProblemNote error={bundle.error} retry={() => void bundle.refetch()} /> : null}
        {bundle.isLoading ? <SkeletonRows rows={6} /> : null}
        {bundle.data ? <Files key={repository} entries={bundle.data} bundle={repository} /> : null}
      </Panel>
      {bundle.data ? <AppLicense key={repository} app={app} entries={bundle.data} /> : null}
    </div>
  )
}
