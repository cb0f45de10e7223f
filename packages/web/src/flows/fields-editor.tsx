// The input fields of the flow, with names and types. They are saved as its input schema.
import type { Flow } from '@millrace/contract/flows'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '../forms/schema.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { inputLook } from '../ui/field.tsx'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'

const words = strings.fields

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

export const FieldsEditor = ({ flow, act }: { flow: Flow; act: Act }) => {
  const schema = (flow.input_schema ?? {}) as Schema
  const fields = Object.entries(schema.properties ?? {})
  const [name, setName] = useState('')
  const [type, setType] = useState<string>('string')
  const write = (properties: Readonly<Record<string, Schema>>) =>
    act({
      type: 'flow.set_input_schema',
      payload: {
        schema: {
          ...schema,
          type: 'object',
          properties,
          required: (schema.required ?? []).filter((each) => Object.hasOwn(properties, each)),
        },
      },
    })
  const add = async () => {
    if (name.trim() === '') return
    if (await write({ ...schema.properties, [name.trim()]: { type } })) setName('')
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{words.title}</legend>
      {fields.map(([key, each]) => (
        <div key={key} className="flex items-center gap-2">
          <code className="min-w-0 grow truncate font-mono text-[12px]">{key}</code>
          <span className="text-faint">{String(each.type ?? words.anyType)}</span>
          <Button
            look="quiet"
            label={words.remove(key)}
            onClick={() => void write(Object.fromEntries(fields.filter(([other]) => other !== key)))}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <div className="flex gap-2">
        <input
          aria-label={words.newName}
          placeholder={words.newNameHint}
          className={classes(inputLook, 'h-8')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <select
          aria-label={words.newType}
          className={classes(inputLook, 'h-8 w-28')}
          value={type}
          onChange={(event) => setType(event.target.value)}
        >
          {types.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <Button label={words.add} onClick={() => void add()}>
          <Plus aria-hidden />
        </Button>
      </div>
    </fieldset>
  )
}
