// Creates an entry: name, type, description and text.
import type { KnowledgeType } from '@millrace/contract/knowledge'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { kindNames, kinds } from './kinds.ts'
import { strings } from './strings.ts'

const words = strings.form

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
    <Form act={create} submit={words.create} disabled={content.trim() === ''}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={words.name}
          required
          autoFocus
          placeholder={words.nameHint}
          help={words.nameHelp}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField label={words.type} value={type} onChange={(event) => setType(event.target.value as KnowledgeType)}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindNames[kind]}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label={words.description}
        required
        help={words.descriptionHelp}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div>
        <p className="needed mb-1 font-medium">{words.text}</p>
        <CodeEditor
          label={words.text}
          language="markdown"
          value={content}
          onChange={setContent}
          minHeight={200}
          placeholder={words.textHint}
        />
      </div>
    </Form>
  )
}
