// Publishes an artifact, or the next version of one, from text or a file.
import type { Artifact, ArtifactType } from '@millrace/contract/artifacts'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { strings } from './strings.ts'

const words = strings.publish

/** The type of a file, by its name; null for other files. Pure. */
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
        <p className="needed grow font-medium">{words.content}</p>
        <label htmlFor={fileId} className="text-soft">
          {words.fromFile}
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
        label={words.content}
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
    done: words.published,
    quiet: true,
    after: ({ id }) => {
      onDone()
      return navigate({ to: '/artifacts/$id', params: { id } })
    },
  })
  return (
    <Form act={publish} submit={words.title} disabled={content.trim() === ''}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={words.name}
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <SelectField label={words.type} value={type} onChange={(event) => setType(event.target.value as ArtifactType)}>
          <option value="markdown">{words.markdown}</option>
          <option value="html">{words.html}</option>
        </SelectField>
      </div>
      <Source
        // The language of an editor cannot change.
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

/**
 * Starts with the published content. The server rejects the version if another member published one in the meantime.
 */
export const PublishVersion = ({
  artifact,
  content: published,
  onDone,
}: {
  artifact: Artifact
  content: string
  onDone: () => void
}) => {
  const [content, setContent] = useState(published)
  const [label, setLabel] = useState('')
  const publish = useAct({
    work: () =>
      call('artifacts.publish_version', {
        path: { id: artifact.id },
        body: { content, base_version_id: artifact.version_id, ...(label === '' ? {} : { label }) },
      }),
    touches: ['artifacts'],
    done: words.versionPublished,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={publish} submit={words.publishVersion} disabled={content.trim() === '' || content === published}>
      <Source type={artifact.type} content={content} onContent={setContent} />
      <TextField
        label={words.notes}
        placeholder={words.notesHint}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </Form>
  )
}
