// A file: dropped, chosen or pasted as an address.
import { File as FileIcon, Upload, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { classes } from '../ui/classes.ts'
import { inputLook } from '../ui/field.tsx'
import { notifyProblem } from '../ui/notify.ts'
import { uploadFile } from './upload.ts'

export const FileInput = ({
  id,
  value,
  onChange,
}: {
  id: string
  value: string | undefined
  onChange: (uri: string | undefined) => void
}) => {
  const [progress, setProgress] = useState<number | null>(null)
  const [name, setName] = useState('')
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const take = async (file: globalThis.File | undefined) => {
    if (!file) return
    setProgress(0)
    try {
      const uploaded = await uploadFile(file, setProgress)
      setName(uploaded.filename)
      onChange(uploaded.uri)
    } catch (error) {
      notifyProblem(error)
    } finally {
      setProgress(null)
    }
  }
  if (value && progress === null)
    return (
      <div className={classes(inputLook, 'flex h-8 items-center gap-2')}>
        <FileIcon className="size-4 text-faint" aria-hidden />
        <span className="min-w-0 grow truncate">{name || value}</span>
        <button type="button" aria-label="Remove the file" onClick={() => onChange(undefined)}>
          <X className="size-4 text-faint hover:text-ink" aria-hidden />
        </button>
      </div>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short cut for the button inside
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
        void take(event.dataTransfer.files[0])
      }}
    >
      {progress === null ? (
        <div className="flex flex-col gap-2">
          <button
            type="button"
            className="flex items-center gap-2 text-soft hover:text-ink"
            onClick={() => picker.current?.click()}
          >
            <Upload className="size-4" aria-hidden /> Drop a file here, or choose one
          </button>
          <input
            id={id}
            type="url"
            placeholder="… or paste the address of one"
            className={classes(inputLook, 'h-8')}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
          />
        </div>
      ) : (
        <div className="flex items-center gap-2">
          <progress aria-label="Upload" value={progress} max={1} className="h-1.5 grow accent-accent" />
          <span className="figures text-faint">{Math.round(progress * 100)} %</span>
        </div>
      )}
      <input
        ref={picker}
        type="file"
        tabIndex={-1}
        aria-hidden
        className="hidden"
        onChange={(event) => void take(event.target.files?.[0])}
      />
    </div>
  )
}
