// A new entry: name, type, what it is about, and the text.
import type { KnowledgeType } from '@millrace/contract/knowledge'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { kindNames, kinds } from './kinds.ts'

export const NewEntry = ({ onDone }: { onDone: () => void }) => {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [type, setType] = useState<KnowledgeType>('concept')
  const [description, setDescription] = useState('')
  const [content, setContent] = useState('')
  const create = useAct({
    work: () =>
      call('knowledge.create', {
        body: {
          name,
          description,
          type,
          version: { content: { path: type === 'skill' ? 'SKILL.md' : `${name}.md`, content } },
        },
      }),
    touches: ['knowledge'],
    quiet: true,
    after: ({ id }) => {
      onDone()
      return navigate({ to: '/knowledge/$id', params: { id } })
    },
  })
  return (
    <Form act={create} submit="Write it down" disabled={content.trim() === ''}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          autoFocus
          placeholder="grinding-stones"
          help="Small letters, digits and hyphens"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField label="Type" value={type} onChange={(event) => setType(event.target.value as KnowledgeType)}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindNames[kind]}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label="What it is about"
        required
        help="One sentence; search and agents go by it"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div>
        <p className="needed mb-1 font-medium">Text, in Markdown</p>
        <CodeEditor
          label="Text, in Markdown"
          language="markdown"
          value={content}
          onChange={setContent}
          minHeight={200}
          placeholder="# What it says"
        />
      </div>
    </Form>
  )
}
