// Publishes an artifact, or the next version of one: written here, or taken from a file.
import type { Artifact, ArtifactType } from '@millrace/contract/artifacts'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

/** What a file is by its name; null: neither a page nor a document. Pure. */
export const typeOfFile = (name: string): ArtifactType | null => {
  if (/\.html?$/i.test(name)) return 'html'
  return /\.(md|markdown|txt)$/i.test(name) ? 'markdown' : null
}

type SourceProps = {
  type: ArtifactType
  content: string
  onContent: (content: string) => void
  onFile?: (name: string, type: ArtifactType) => void
}

const Source = ({ type, content, onContent, onFile }: SourceProps) => {
  const fileId = useId()
  const take = async (file: File | undefined) => {
    if (!file) return
    onContent(await file.text())
    onFile?.(file.name, typeOfFile(file.name) ?? type)
  }
  return (
    <div>
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <p className="needed grow font-medium">What it says</p>
        <label htmlFor={fileId} className="text-soft">
          From a file
        </label>
        <input
          id={fileId}
          type="file"
          accept=".html,.htm,.md,.markdown,.txt,text/html,text/markdown,text/plain"
          className="max-w-56 text-[12px] text-soft"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </div>
      <CodeEditor
        label="What it says"
        language={type === 'markdown' ? 'markdown' : 'text'}
        value={content}
        onChange={onContent}
        minHeight={220}
      />
    </div>
  )
}

export const PublishForm = ({ onDone }: { onDone: () => void }) => {
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [type, setType] = useState<ArtifactType>('markdown')
  const [content, setContent] = useState('')
  const publish = useAct({
    work: () => call('artifacts.publish', { body: { title, type, content } }),
    touches: ['artifacts'],
    done: 'Published, for you alone until you share it',
    quiet: true,
    after: ({ id }) => {
      onDone()
      return navigate({ to: '/artifacts/$id', params: { id } })
    },
  })
  return (
    <Form act={publish} submit="Publish" disabled={content.trim() === ''}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Title" required autoFocus value={title} onChange={(event) => setTitle(event.target.value)} />
        <SelectField label="Type" value={type} onChange={(event) => setType(event.target.value as ArtifactType)}>
          <option value="markdown">Document, in Markdown</option>
          <option value="html">Page, in HTML</option>
        </SelectField>
      </div>
      <Source
        // The editor is made for one language.
        key={type}
        type={type}
        content={content}
        onContent={setContent}
        onFile={(name, found) => {
          setType(found)
          if (title === '') setTitle(name.replace(/\.[^.]+$/, ''))
        }}
      />
    </Form>
  )
}

/** Begins with what is published now, and is refused when somebody else was faster. */
export const PublishVersion = ({
  artifact,
  content: held,
  onDone,
}: {
  artifact: Artifact
  content: string
  onDone: () => void
}) => {
  const [content, setContent] = useState(held)
  const [label, setLabel] = useState('')
  const publish = useAct({
    work: () =>
      call('artifacts.publish_version', {
        path: { id: artifact.id },
        body: { content, base_version_id: artifact.version_id, ...(label === '' ? {} : { label }) },
      }),
    touches: ['artifacts'],
    done: 'Published as a new version',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={publish} submit="Publish as a new version" disabled={content.trim() === '' || content === held}>
      <Source type={artifact.type} content={content} onContent={setContent} />
      <TextField
        label="What you changed"
        placeholder="Stands beside the version"
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </Form>
  )
}
