// Versions of an entry: the changes of each, and restoring one.
import type { Knowledge, KnowledgeVersion } from '@millrace/contract/knowledge'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { Problem } from '../api/problem.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { DiffView } from '../ui/diff-view.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { strings } from './strings.ts'

const words = strings.versions

/** The text of a version, from its link. Texts are cached by their hash and never change. */
const useText = (version: KnowledgeVersion | undefined) =>
  useQuery({
    queryKey: ['knowledge_texts', version?.content.hash ?? version?.id],
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const address = new URL(version?.content.uri ?? '', location.href)
      const answer = await fetch(address.origin === location.origin ? address : address.pathname + address.search, {
        signal,
      })
      if (!answer.ok) throw new Problem({ title: words.unreadable, detail: words.reload }, answer.status, undefined)
      return answer.text()
    },
  })

const Changed = ({ version, before }: { version: KnowledgeVersion; before: KnowledgeVersion | undefined }) => {
  const text = useText(version)
  const older = useText(before)
  const error = text.error ?? older.error
  if (error) return <ProblemNote error={error} />
  if (text.data === undefined || (before && older.data === undefined)) return <SkeletonRows rows={3} />
  return <DiffView before={older.data ?? ''} after={text.data} />
}

export const EntryVersions = ({ entry, mayChange }: { entry: Knowledge; mayChange: boolean }) => {
  const list = useList('knowledge.versions', {}, { path: { id: entry.id } })
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = list.items.find(({ id }) => id === chosen) ?? list.items[0]
  const before = shown ? list.items[list.items.indexOf(shown) + 1] : undefined
  const text = useText(shown)
  const restore = useAct({
    work: (version: KnowledgeVersion) =>
      call(
        'knowledge.update',
        {
          path: { id: entry.id },
          body: {
            version: {
              content: { content: text.data ?? '' },
              tags: version.tags,
              version_notes: words.restoredNote(version.short_id),
            },
          },
        },
        { ifMatch: entry.version_id },
      ),
    touches: ['knowledge'],
    done: words.restored,
  })
  if (list.error) return <ProblemNote error={list.error} retry={list.refetch} />
  if (!shown) return <SkeletonRows />
  return (
    <div className="grid items-start gap-4 md:grid-cols-[220px_minmax(0,1fr)]">
      <ol className="flex flex-col gap-1">
        {list.items.map((version) => (
          <li key={version.id}>
            <button
              type="button"
              aria-pressed={version.id === shown.id}
              className={classes(
                'w-full rounded-md border px-3 py-1.5 text-left hover:bg-hover',
                version.id === shown.id && 'border-accent bg-accent-soft',
              )}
              onClick={() => setChosen(version.id)}
            >
              <span className="flex items-center gap-2">
                <code className="font-mono text-[12px]">{version.short_id}</code>
                {version.id === entry.version_id ? <Badge tone="ok">{words.current}</Badge> : null}
                <span className="grow text-right text-faint">
                  <Ago time={version.created_at} />
                </span>
              </span>
              <span className="block truncate text-[12px] text-soft">
                {version.version_notes || version.mutation_type || ''}
              </span>
            </button>
          </li>
        ))}
        {list.more ? <Button onClick={list.more}>{uiStrings.showMore}</Button> : null}
      </ol>
      <Panel
        title={before ? words.changes : words.first}
        actions={
          mayChange && shown.id !== entry.version_id ? (
            <Button busy={restore.isPending} disabled={text.data === undefined} onClick={() => restore.mutate(shown)}>
              {words.restore}
            </Button>
          ) : null
        }
      >
        <Changed version={shown} before={before} />
      </Panel>
    </div>
  )
}
