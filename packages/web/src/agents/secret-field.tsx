// A secret by its name, or a key itself, which the server then shows only as a mask.
import { useId } from 'react'
import { Field, inputLook } from '../ui/field.tsx'
import { useMatches } from '../ui/picker.tsx'

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
      help={
        value.startsWith('****')
          ? 'A key that was typed in before; it stays unless another one is put here'
          : 'The name of a secret; anything else is taken for the key itself and never shown again'
      }
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
