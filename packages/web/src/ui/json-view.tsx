// A JSON value as a collapsible tree; long strings are truncated.
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from './copy.tsx'

const longText = 400
const foldedFrom = 3
const shownItems = 100

const Leaf = ({ value }: { value: unknown }) => {
  const [whole, setWhole] = useState(false)
  if (typeof value === 'string') {
    const cut = !whole && value.length > longText
    return (
      <span className="whitespace-pre-wrap break-words text-ok">
        {JSON.stringify(cut ? value.slice(0, longText) : value)}
        {cut ? (
          <button type="button" className="ml-1 text-accent underline" onClick={() => setWhole(true)}>
            {value.length - longText} more
          </button>
        ) : null}
      </span>
    )
  }
  if (value === null) return <span className="text-faint">null</span>
  return <span className="text-accent">{String(value)}</span>
}

const Branch = ({ name, value, depth }: { name: string | null; value: object; depth: number }) => {
  const [open, setOpen] = useState(depth < foldedFrom)
  const [limit, setLimit] = useState(shownItems)
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="-ml-4 flex min-h-6 items-center rounded text-left hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight
          className={`size-4 shrink-0 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
          aria-hidden
        />
        {name === null ? null : <span className="text-soft">{name}: </span>}
        <span className="pl-1 text-faint">
          {isList ? `${entries.length} item${entries.length === 1 ? '' : 's'}` : `{${entries.length}}`}
        </span>
      </button>
      {open ? (
        <div className="border-l pl-4">
          {entries.slice(0, limit).map(([key, item]) => (
            <Node key={key} name={key} value={item} depth={depth + 1} />
          ))}
          {entries.length > limit ? (
            <button type="button" className="text-accent underline" onClick={() => setLimit(limit + shownItems)}>
              {entries.length - limit} more
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

const Node = ({ name, value, depth }: { name: string | null; value: unknown; depth: number }) =>
  typeof value === 'object' && value !== null ? (
    <Branch name={name} value={value} depth={depth} />
  ) : (
    <div>
      {name === null ? null : <span className="text-soft">{name}: </span>}
      <Leaf value={value} />
    </div>
  )

export const JsonView = ({ value }: { value: unknown }) => (
  <div className="relative overflow-x-auto pl-4 font-mono text-[12px] leading-5">
    <div className="absolute top-0 right-0">
      <CopyButton text={JSON.stringify(value, null, 2) ?? ''} label="Copy JSON" />
    </div>
    <Node name={null} value={value} depth={0} />
  </div>
)
