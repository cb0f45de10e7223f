// Writing the next version of an entry. What somebody else saved meanwhile is told, not written over.
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

const refusedForAge: ReadonlySet<number> = new Set([409, 412])

const textOf = (entry: Knowledge): string => entry.version?.content.content ?? ''

/** Their version beside mine: take theirs, or write mine over it knowing what it says. */
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
    <p className="font-medium">Somebody has saved this entry since you began</p>
    <p className="text-soft">
      Below, what is new in their version stands as removed, and what is new in yours as added.
    </p>
    <DiffView before={textOf(theirs)} after={mine} />
    <div className="flex gap-2">
      <Button onClick={onTheirs}>Take theirs</Button>
      <Button look="danger" onClick={onMine}>
        Save mine over it
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
  // The version this one is made from, whatever the page learns meanwhile.
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
    done: 'Saved as a new version',
    after: onDone,
    quiet: true,
  })
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
        label="What it is about"
        required
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <CodeEditor label="Text" language="markdown" value={text} onChange={setText} minHeight={320} />
        <Panel title="Preview" className="max-h-[60vh] overflow-y-auto">
          <LazyMarkdown text={text} />
        </Panel>
      </div>
      <TextField
        label="What you changed"
        placeholder="Stands beside the version"
        value={notes}
        onChange={(event) => setNotes(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={save.isPending}>
          Save as a new version
        </Button>
        <Button onClick={onDone}>Leave it as it was</Button>
      </div>
    </form>
  )
}
