// A field for the name of a secret or a key. The server returns a stored key masked.
import { useId } from 'react'
import { Field, inputLook } from '../ui/field.tsx'
import { useMatches } from '../ui/picker.tsx'
import { strings } from './strings.ts'

type SecretFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  optional?: boolean
}

export const SecretField = ({ label, value, onChange, optional = false }: SecretFieldProps) => {
  const listId = useId()
  const secrets = useMatches('secrets.list', value, { sort: [{ field: 'key', dir: 'asc' }] })
  return (
    <Field
      label={label}
      required={!optional}
      help={value.startsWith('****') ? strings.http.maskedHelp : strings.http.secretHelp}
    >
      {(ids) => (
        <>
          <input
            {...ids}
            list={listId}
            autoComplete="off"
            spellCheck={false}
            required={!optional}
            className={`${inputLook} h-8 font-mono text-[12px]`}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={listId}>
            {secrets.items.map(({ id, key }) => (
              <option key={id} value={key} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
