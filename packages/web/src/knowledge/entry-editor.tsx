// Edits the next version of an entry. A version that another member saved in the meantime is shown, not overwritten.
import type { Knowledge } from '@millrace/contract/knowledge'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { DiffView } from '../ui/diff-view.tsx'
import { TextField } from '../ui/field.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { DiscardButton, UnsavedGuard } from '../ui/unsaved.tsx'
import { strings } from './strings.ts'

const words = strings.editor

const refusedForAge: ReadonlySet<number> = new Set([409, 412])

const textOf = (entry: Knowledge): string => entry.version?.content.content ?? ''

/** Compares both versions; the user takes theirs or overwrites it. */
const Conflict = ({
  theirs,
  mine,
  onTheirs,
  onMine,
}: {
  theirs: Knowledge
  mine: string
  onTheirs: () => void
  onMine: () => void
}) => (
  <div role="alert" className="flex flex-col gap-2 rounded-md border border-warn/50 bg-warn-soft p-3">
    <p className="font-medium">{words.conflictTitle}</p>
    <p className="text-soft">{words.conflictText}</p>
    <DiffView before={textOf(theirs)} after={mine} />
    <div className="flex gap-2">
      <Button onClick={onTheirs}>{words.useTheirs}</Button>
      <Button look="danger" onClick={onMine}>
        {words.saveMine}
      </Button>
    </div>
  </div>
)

export const EntryEditor = ({ entry, onDone }: { entry: Knowledge; onDone: () => void }) => {
  const client = useQueryClient()
  const [text, setText] = useState(textOf(entry))
  const [description, setDescription] = useState(entry.description)
  const [notes, setNotes] = useState('')
  const [theirs, setTheirs] = useState<Knowledge | null>(null)
  // The version that this edit started from, even if the page receives a newer one.
  const [base, setBase] = useState(entry.version_id)
  const path = entry.version?.content.path
  const save = useAct({
    work: (from: string) =>
      call(
        'knowledge.update',
        {
          path: { id: entry.id },
          body: {
            description,
            version: {
              content: { ...(path === undefined ? {} : { path }), content: text },
              ...(notes === '' ? {} : { version_notes: notes }),
            },
          },
        },
        { ifMatch: from },
      ),
    touches: ['knowledge'],
    done: words.saved,
    after: onDone,
    quiet: true,
  })
  const isChanged = text !== textOf(entry) || description !== entry.description || notes !== ''
  const isConflict = save.error instanceof Problem && refusedForAge.has(save.error.status)
  const submit = (from: string) =>
    save.mutate(from, {
      onError: async (error) => {
        if (!(error instanceof Problem) || !refusedForAge.has(error.status)) return
        const query = read('knowledge.get', { path: { id: entry.id }, query: { include: 'content' } })
        setTheirs(await client.fetchQuery({ ...query, staleTime: 0 }))
      },
    })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit(base)
      }}
    >
      <UnsavedGuard isDirty={isChanged && !save.isSuccess} />
      {theirs ? (
        <Conflict
          theirs={theirs}
          mine={text}
          onTheirs={() => {
            setText(textOf(theirs))
            setDescription(theirs.description)
            setBase(theirs.version_id)
            setTheirs(null)
            save.reset()
          }}
          onMine={() => {
            setTheirs(null)
            submit(theirs.version_id)
          }}
        />
      ) : null}
      {save.error && !isConflict ? <ProblemNote error={save.error} /> : null}
      <TextField
        label={words.description}
        required
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <CodeEditor label={words.text} language="markdown" value={text} onChange={setText} minHeight={320} />
        <Panel title={words.preview} className="max-h-[60vh] overflow-y-auto">
          <LazyMarkdown text={text} />
        </Panel>
      </div>
      <TextField
        label={words.notes}
        placeholder={words.notesHint}
        value={notes}
        onChange={(event) => setNotes(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={save.isPending}>
          {words.save}
        </Button>
        <DiscardButton isDirty={isChanged} onDiscard={onDone}>
          {words.cancel}
        </DiscardButton>
      </div>
    </form>
  )
}
