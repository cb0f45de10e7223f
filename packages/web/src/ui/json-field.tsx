// The editor for JSON. Invalid text is never reported as a value, but the form learns about it, so that it neither
// saves an older value nor counts the text as unchanged.
import { createContext, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react'
import { CodeEditor } from './code.tsx'
import { type JsonKind, jsonText, parseJson } from './json-text.ts'

type Report = (id: string, isInvalid: boolean) => void

const InvalidJson = createContext<Report>(() => {})

/** Wraps the fields of a form. */
export const InvalidJsonProvider = InvalidJson.Provider

/** Whether a JSON field inside the provider contains invalid text. */
export const useInvalidJson = (): { hasInvalidJson: boolean; report: Report } => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const report = useCallback(
    (id: string, isInvalid: boolean) =>
      setIds((previous) => {
        if (previous.has(id) === isInvalid) return previous
        return isInvalid ? new Set([...previous, id]) : new Set([...previous].filter((each) => each !== id))
      }),
    [],
  )
  return useMemo(() => ({ hasInvalidJson: ids.size > 0, report }), [ids, report])
}

type JsonFieldProps = {
  label: string
  value: unknown
  /** Absent for a read-only field. An empty text is `undefined`. */
  onChange?: ((value: unknown) => void) | undefined
  kind?: JsonKind
  placeholder?: string
  minHeight?: number
  /** Not part of what the form sends, so that invalid text does not prevent sending. */
  isSample?: boolean
}

export const JsonField = ({
  label,
  value,
  onChange,
  kind = 'any',
  placeholder,
  minHeight,
  isSample = false,
}: JsonFieldProps) => {
  const id = useId()
  const report = useContext(InvalidJson)
  const [text, setText] = useState(() => jsonText(value))
  const [shown, setShown] = useState(value)
  const parsed = parseJson(text, kind)
  const { fault } = parsed
  // An external change of the value replaces the text, except while the typed text is invalid.
  if (JSON.stringify(shown) !== JSON.stringify(value)) {
    setShown(value)
    if (fault === undefined && JSON.stringify(parsed.value) !== JSON.stringify(value)) setText(jsonText(value))
  }
  useEffect(() => {
    report(id, fault !== undefined && !isSample)
    return () => report(id, false)
  }, [report, id, fault, isSample])
  const change = (next: string) => {
    setText(next)
    const typed = parseJson(next, kind)
    if (typed.fault === undefined) onChange?.(typed.value)
  }
  return (
    <>
      <CodeEditor
        label={label}
        value={text}
        {...(onChange ? { onChange: change } : {})}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(minHeight === undefined ? {} : { minHeight })}
        isInvalid={fault !== undefined}
      />
      {fault === undefined ? null : (
        <p role="alert" className="text-[12px] text-bad">
          {fault}
        </p>
      )}
    </>
  )
}
