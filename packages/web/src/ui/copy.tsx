// Text that can be copied: short ids, keys, commands.
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { classes } from './classes.ts'

const shownMs = 1200

export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const Icon = copied ? Check : Copy
  return (
    <button
      type="button"
      aria-label={copied ? 'Copied' : label}
      title={copied ? 'Copied' : label}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void navigator.clipboard.writeText(text).then(() => setCopied(true))
      }}
    >
      <Icon className={classes('size-3.5', copied && 'text-ok')} aria-hidden />
    </button>
  )
}

/** The first eight characters; the whole id on hover and in the clipboard. */
export const Id = ({ id }: { id: string }) => (
  <span className="inline-flex items-center gap-0.5">
    <code className="font-mono text-[12px] text-soft" title={id}>
      {id.slice(0, 8)}
    </code>
    <CopyButton text={id} label="Copy ID" />
  </span>
)
