// Live logs with search. They scroll along while the reader is at the end.
import type { TaskLog } from '@millrace/contract/tasks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { CopyButton } from '../ui/copy.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { linesOf, matching } from './log-text.ts'
import { strings } from './strings.ts'

const words = strings.logs

const lineHeight = 20
const nearEndPixels = 60

export const Logs = ({ logs, live }: { logs: readonly TaskLog[]; live: boolean }) => {
  const [term, setTerm] = useState('')
  const [follow, setFollow] = useState(true)
  const scroller = useRef<HTMLDivElement>(null)
  const all = useMemo(() => linesOf(logs), [logs])
  const lines = useMemo(() => matching(all, term), [all, term])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  useEffect(() => {
    if (follow && lines.length > 0) virtual.scrollToIndex(lines.length - 1)
  }, [follow, lines.length, virtual])
  if (all.length === 0) return <p className="p-3 text-faint">{live ? words.noneYet : words.none}</p>
  return (
    <div>
      <div className="flex items-center gap-2 border-b px-2 py-1">
        <SearchField label={words.search} className="min-w-0 grow" value={term} onChange={setTerm} />
        <span className="figures whitespace-nowrap text-[12px] text-faint">{words.lines(lines.length)}</span>
        <label className="flex items-center gap-1 text-[12px] text-soft">
          <input
            type="checkbox"
            className="accent-accent"
            checked={follow}
            onChange={(event) => setFollow(event.target.checked)}
          />
          {words.follow}
        </label>
        <CopyButton text={lines.map(({ text }) => text).join('\n')} label={words.copy} />
      </div>
      <div
        ref={scroller}
        role="log"
        aria-label={words.title}
        tabIndex={0}
        className="max-h-80 overflow-auto p-2 font-mono text-[12px] leading-5"
        onScroll={({ currentTarget: at }) => {
          const atEnd = at.scrollHeight - at.scrollTop - at.clientHeight < nearEndPixels
          if (!atEnd && follow) setFollow(false)
        }}
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            return line ? (
              <div
                key={line.key}
                className="absolute inset-x-0 flex gap-3 whitespace-pre"
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className="w-10 shrink-0 select-none text-faint">{line.phase}</span>
                <span>{line.text}</span>
              </div>
            ) : null
          })}
        </div>
      </div>
    </div>
  )
}
