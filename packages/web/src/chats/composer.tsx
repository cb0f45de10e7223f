// The message field: text and files that are dropped, pasted or chosen. Enter sends, Shift+Enter starts a new line.
import type { FileRef } from '@millrace/contract/chats'
import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useRef, useState } from 'react'
import { uploadFile } from '../forms/upload.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { notifyProblem } from '../ui/notify.ts'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.composer

type Attached = { key: number; name: string; progress: number; file: FileRef | null }

let nextKey = 1

const useAttachments = () => {
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const change = (key: number, part: Partial<Attached>) =>
    setAttached((current) => current.map((one) => (one.key === key ? { ...one, ...part } : one)))
  const remove = (key: number) => setAttached((current) => current.filter((one) => one.key !== key))
  const add = (files: Iterable<File>) => {
    for (const file of files) {
      const key = nextKey++
      setAttached((current) => [...current, { key, name: file.name, progress: 0, file: null }])
      uploadFile(file, (progress) => change(key, { progress })).then(
        ({ id, uri }) =>
          change(key, {
            file: { id, uri, filename: file.name, content_type: file.type, size: file.size },
          }),
        (error: unknown) => {
          remove(key)
          notifyProblem(error)
        },
      )
    }
  }
  return { attached, add, remove, clear: () => setAttached([]) }
}

export type OutgoingMessage = { text: string; attachments: FileRef[] }

export const Composer = ({
  onSend,
  onStop,
  busy = false,
  placeholder = words.message,
  autoFocus = false,
}: {
  onSend: (message: OutgoingMessage) => Promise<unknown>
  onStop?: () => void
  /** The agent is running: a message is queued for its next turn. */
  busy?: boolean
  placeholder?: string
  autoFocus?: boolean
}) => {
  const [text, setText] = useState('')
  const [sending, setSending] = useState(false)
  const [over, setOver] = useState(false)
  const { attached, add, remove, clear } = useAttachments()
  const picker = useRef<HTMLInputElement>(null)
  const ready = attached.flatMap(({ file }) => file ?? [])
  const canSend = !sending && ready.length === attached.length && (text.trim() !== '' || ready.length > 0)
  const send = async () => {
    if (!canSend) return
    setSending(true)
    try {
      await onSend({ text: text.trim(), attachments: ready })
      setText('')
      clear()
    } catch (error) {
      // The text stays in the field.
      notifyProblem(error)
    } finally {
      setSending(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    add(event.clipboardData.files)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is an alternative to the button inside
    <div
      className={classes(
        'rounded-lg border bg-surface focus-within:border-accent',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {attached.length > 0 ? (
        <ul className="flex flex-wrap gap-2 px-3 pt-2">
          {attached.map(({ key, name, progress, file }) => (
            <li key={key} className="flex items-center gap-1.5 rounded border bg-canvas px-2 py-0.5 text-[12px]">
              <span className="max-w-40 truncate">{name}</span>
              {file ? null : (
                <progress aria-label={words.uploading(name)} value={progress} max={1} className="h-1 w-12" />
              )}
              <button type="button" aria-label={uiStrings.removeThing(name)} onClick={() => remove(key)}>
                <X className="size-3 text-faint hover:text-ink" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <textarea
        aria-label={placeholder}
        placeholder={busy ? words.queued : placeholder}
        rows={1}
        // biome-ignore lint/a11y/noAutofocus: writing is the purpose of the page
        autoFocus={autoFocus}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block max-h-60 min-h-11 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 text-[14px] leading-6 outline-none [field-sizing:content] placeholder:text-faint"
      />
      <div className="flex items-center gap-2 px-2 pb-2">
        <Button look="quiet" label={words.attach} onClick={() => picker.current?.click()}>
          <Paperclip aria-hidden />
        </Button>
        <input
          ref={picker}
          type="file"
          multiple
          tabIndex={-1}
          aria-hidden
          className="hidden"
          onChange={(event) => {
            add(event.target.files ?? [])
            event.target.value = ''
          }}
        />
        <span className="grow" />
        {busy && onStop ? (
          <Button onClick={onStop}>
            <Square aria-hidden /> {words.stop}
          </Button>
        ) : null}
        <Button
          look="primary"
          label={busy ? words.sendQueued : words.send}
          busy={sending}
          disabled={!canSend}
          onClick={() => void send()}
        >
          <ArrowUp aria-hidden />
        </Button>
      </div>
    </div>
  )
}
