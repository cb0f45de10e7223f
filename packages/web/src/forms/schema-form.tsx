// A form generated from a JSON Schema. Every field has one of the kinds of `schema.ts`; the caller holds the values.
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Field, inputLook } from '../ui/field.tsx'
import { JsonField } from '../ui/json-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { dateTimeIn, localTimeOf } from './date-time.ts'
import { type Fault, variantFor } from './faults.ts'
import { FileInput } from './file-input.tsx'
import { MapInput } from './map-input.tsx'
import { useRowKeys } from './row-keys.ts'
import { firstValue, kindOf, labelOf, type Schema, simplify, variantsOf } from './schema.ts'
import { strings } from './strings.ts'

type FieldProps = {
  schema: Schema
  root: Schema
  name: string
  path: string
  value: unknown
  onChange: (value: unknown) => void
  required: boolean
  faults: readonly Fault[]
}

const childPath = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`)

const NumberInput = ({
  ids,
  schema,
  value,
  onChange,
}: {
  ids: object
  schema: Schema
  value: unknown
  onChange: (value: unknown) => void
}) => (
  <input
    {...ids}
    type="number"
    className={classes(inputLook, 'figures h-8')}
    min={schema.minimum}
    max={schema.maximum}
    step={schema.type === 'integer' ? 1 : (schema.multipleOf ?? 'any')}
    value={typeof value === 'number' ? value : ''}
    onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
  />
)

/** A slider and the number next to it. */
const RangeInput = ({
  ids,
  schema,
  value,
  label,
  onChange,
}: {
  ids: object
  schema: Schema
  value: unknown
  label: string
  onChange: (value: unknown) => void
}) => {
  const { minimum = 0, maximum = 1 } = schema
  const step = schema.multipleOf ?? (schema.type === 'integer' ? 1 : (maximum - minimum) / 100)
  return (
    <div className="flex items-center gap-3">
      <input
        type="range"
        aria-label={strings.slider(label)}
        className="min-w-0 grow accent-accent"
        min={minimum}
        max={maximum}
        step={step}
        value={typeof value === 'number' ? value : minimum}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
      <div className="w-24 shrink-0">
        <NumberInput ids={ids} schema={schema} value={value} onChange={onChange} />
      </div>
    </div>
  )
}

const ListInput = ({
  schema,
  root,
  path,
  value,
  onChange,
  faults,
  label,
}: Omit<FieldProps, 'name' | 'required'> & { label: string }) => {
  const items = Array.isArray(value) ? value : []
  const { keys, removeKey } = useRowKeys(items.length)
  const item = typeof schema.items === 'object' ? schema.items : {}
  return (
    <div className="flex flex-col gap-2">
      {items.map((each, index) => (
        <div key={keys[index]} className="flex items-start gap-2">
          <div className="min-w-0 grow">
            <SchemaField
              schema={item}
              root={root}
              name={`${label} ${index + 1}`}
              path={childPath(path, index)}
              value={each}
              onChange={(next) => onChange(items.map((old, at) => (at === index ? next : old)))}
              required
              faults={faults}
            />
          </div>
          <Button
            look="quiet"
            label={uiStrings.removeThing(`${label} ${index + 1}`)}
            onClick={() => {
              removeKey(index)
              onChange(items.filter((_, at) => at !== index))
            }}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button className="self-start" onClick={() => onChange([...items, firstValue(item, root) ?? ''])}>
        <Plus aria-hidden /> {strings.addItem}
      </Button>
    </div>
  )
}

const UnionInput = (props: FieldProps) => {
  const { schema, root, value, onChange } = props
  const variants = variantsOf(schema, root)
  // Starts at the variant of the value, such as one of an earlier run.
  const [chosen, setChosen] = useState(() => variantFor(schema, value, root))
  const variant = variants[chosen] ?? {}
  return (
    <div className="flex flex-col gap-2 rounded-md border p-2">
      <select
        aria-label={strings.valueType(labelOf(schema, props.name))}
        className={classes(inputLook, 'h-8')}
        value={chosen}
        onChange={(event) => {
          const next = Number(event.target.value)
          setChosen(next)
          onChange(firstValue(variants[next] ?? {}, root))
        }}
      >
        {variants.map((each, index) => (
          <option key={`variant-${index + 1}`} value={index}>
            {each.title ?? String(each.const ?? each.type ?? strings.anyValue)}
          </option>
        ))}
      </select>
      <SchemaField {...props} schema={variant} value={value} />
    </div>
  )
}

export const ObjectFields = ({
  schema,
  root,
  path,
  value,
  onChange,
  faults,
}: Omit<FieldProps, 'name' | 'required'>) => {
  const fields = (value ?? {}) as Record<string, unknown>
  const requiredNames = new Set(schema.required ?? [])
  const names = Object.keys(schema.properties ?? {})
  const first = names.filter((name) => requiredNames.has(name))
  const rest = names.filter((name) => !requiredNames.has(name))
  return (
    <div className="flex flex-col gap-4">
      {[...first, ...rest].map((name) => (
        <SchemaField
          key={name}
          schema={schema.properties?.[name] ?? {}}
          root={root}
          name={name}
          path={childPath(path, name)}
          value={fields[name]}
          onChange={(next) => {
            const { [name]: _old, ...others } = fields
            onChange(next === undefined ? others : { ...others, [name]: next })
          }}
          required={requiredNames.has(name)}
          faults={faults}
        />
      ))}
    </div>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const Input = (props: FieldProps & { ids: { id: string }; kind: string; label: string }) => {
  const { kind, schema, value, onChange, ids, label, required } = props
  const typed = (text: string) => onChange(text === '' && !required ? undefined : text)
  switch (kind) {
    case 'long text':
      return (
        <textarea
          {...ids}
          rows={4}
          className={classes(inputLook, 'py-1.5')}
          value={textOf(value)}
          onChange={(event) => typed(event.target.value)}
        />
      )
    case 'secret':
      return (
        <input
          {...ids}
          type="password"
          autoComplete="off"
          className={classes(inputLook, 'h-8')}
          value={textOf(value)}
          onChange={(event) => typed(event.target.value)}
        />
      )
    case 'file':
      return <FileInput id={ids.id} value={typeof value === 'string' ? value : undefined} onChange={onChange} />
    case 'date':
      return (
        <input
          {...ids}
          type="date"
          className={classes(inputLook, 'h-8')}
          value={textOf(value)}
          onChange={(event) => typed(event.target.value)}
        />
      )
    case 'date-time':
      return (
        <input
          {...ids}
          type="datetime-local"
          step={1}
          className={classes(inputLook, 'h-8')}
          value={localTimeOf(textOf(value))}
          onChange={(event) => typed(dateTimeIn(event.target.value))}
        />
      )
    case 'number':
      return <NumberInput ids={ids} schema={schema} value={value} onChange={onChange} />
    case 'range':
      return <RangeInput ids={ids} schema={schema} value={value} label={label} onChange={onChange} />
    case 'enum':
      return (
        <select
          {...ids}
          className={classes(inputLook, 'h-8')}
          value={value === undefined ? '' : JSON.stringify(value)}
          onChange={(event) => onChange(event.target.value === '' ? undefined : JSON.parse(event.target.value))}
        >
          {required && value !== undefined ? null : <option value="">–</option>}
          {schema.enum?.map((each) => (
            <option key={JSON.stringify(each)} value={JSON.stringify(each)}>
              {String(each)}
            </option>
          ))}
        </select>
      )
    default:
      return (
        <input
          {...ids}
          type={schema.format === 'uri' ? 'url' : schema.format === 'email' ? 'email' : 'text'}
          className={classes(inputLook, 'h-8')}
          placeholder={schema.examples?.[0] === undefined ? undefined : String(schema.examples[0])}
          value={textOf(value)}
          onChange={(event) => typed(event.target.value)}
        />
      )
  }
}

/** Kinds with several inputs are a fieldset with a legend; the others are one input with a label. */
export const SchemaField = (props: FieldProps) => {
  const { root, name, path, value, onChange, required, faults } = props
  const schema = simplify(props.schema, root)
  const kind = kindOf(schema, name)
  const label = labelOf(schema, name)
  const fault = faults.find((each) => each.path === path)?.message
  const inner = { schema, root, path, value, onChange, faults }
  // Constants and `null` have no input: the form fills them in.
  if (kind === 'const' || kind === 'null') return null
  if (kind === 'boolean')
    return (
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>
          <span className="font-medium">{label}</span>
          {schema.description ? <span className="block text-[12px] text-faint">{schema.description}</span> : null}
        </span>
      </label>
    )
  if (kind === 'object' || kind === 'list' || kind === 'union' || kind === 'map' || kind === 'json')
    return (
      <fieldset className={classes('flex min-w-0 flex-col gap-1', kind === 'object' && 'rounded-md border p-3')}>
        <legend className={classes('font-medium', required && 'needed', kind === 'object' && 'px-1')}>{label}</legend>
        {schema.description ? <p className="text-[12px] text-faint">{schema.description}</p> : null}
        {kind === 'object' ? <ObjectFields {...inner} /> : null}
        {kind === 'list' ? <ListInput {...inner} label={label} /> : null}
        {kind === 'union' ? <UnionInput {...props} schema={schema} /> : null}
        {kind === 'map' ? <MapInput label={label} value={value} onChange={onChange} /> : null}
        {kind === 'json' ? (
          <JsonField label={label} value={value} onChange={onChange} placeholder="JSON" minHeight={36} />
        ) : null}
        {fault ? <p className="text-[12px] text-bad">{fault}</p> : null}
      </fieldset>
    )
  return (
    <Field label={label} help={schema.description} fault={fault} required={required}>
      {(ids) => <Input {...props} schema={schema} ids={ids} kind={kind} label={label} />}
    </Field>
  )
}
