// A file field: drop a file, choose one, or enter a URL.
import { File as FileIcon, Upload, X } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { classes } from '../ui/classes.ts'
import { inputLook } from '../ui/field.tsx'
import { notifyProblem } from '../ui/notify.ts'
import { strings } from './strings.ts'
import { uploadFile } from './upload.ts'

const words = strings.file

export const FileInput = ({
  id,
  value,
  onChange,
}: {
  id: string
  value: string | undefined
  onChange: (uri: string | undefined) => void
}) => {
  const latest = useRef<typeof onChange>(undefined)
  useLayoutEffect(() => {
    latest.current = onChange
    return () => {
      latest.current = undefined
    }
  }, [onChange])
  /** A URL that is typed here stays an editable text. */
  const [isTyped, setIsTyped] = useState(false)
  const [progress, setProgress] = useState<number | null>(null)
  const [name, setName] = useState('')
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const upload = async (file: globalThis.File | undefined) => {
    if (!file) return
    setProgress(0)
    try {
      const uploaded = await uploadFile(file, setProgress)
      // Rendered at once: another upload of the same form that ends now must see this value, not an older one.
      flushSync(() => {
        setName(uploaded.filename)
        setIsTyped(false)
        latest.current?.(uploaded.uri)
      })
    } catch (error) {
      notifyProblem(error)
    } finally {
      setProgress(null)
    }
  }
  if (value && !isTyped && progress === null)
    return (
      <div className={classes(inputLook, 'flex h-8 items-center gap-2')}>
        <FileIcon className="size-4 text-faint" aria-hidden />
        <span className="min-w-0 grow truncate">{name || value}</span>
        <button type="button" aria-label={words.remove} onClick={() => onChange(undefined)}>
          <X className="size-4 text-faint hover:text-ink" aria-hidden />
        </button>
      </div>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is an alternative to the button inside
    <div
      className={classes(
        'rounded-md border border-dashed p-3',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void upload(event.dataTransfer.files[0])
      }}
    >
      {progress === null ? (
        <div className="flex flex-col gap-2">
          <button
            type="button"
            className="flex items-center gap-2 text-soft hover:text-ink"
            onClick={() => picker.current?.click()}
          >
            <Upload className="size-4" aria-hidden /> {words.choose}
          </button>
          <input
            id={id}
            type="url"
            placeholder={words.url}
            value={value ?? ''}
            className={classes(inputLook, 'h-8')}
            onChange={(event) => {
              setIsTyped(true)
              onChange(event.target.value === '' ? undefined : event.target.value)
            }}
          />
        </div>
      ) : (
        <div className="flex items-center gap-2">
          <progress aria-label={words.progress} value={progress} max={1} className="h-1.5 grow accent-accent" />
          <span className="figures text-faint">{Math.round(progress * 100)} %</span>
        </div>
      )}
      <input
        ref={picker}
        type="file"
        tabIndex={-1}
        aria-hidden
        className="hidden"
        onChange={(event) => void upload(event.target.files?.[0])}
      />
    </div>
  )
}
