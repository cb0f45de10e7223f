// Two texts and their differences.
import { useMemo } from 'react'
import { classes } from './classes.ts'
import { type DiffLine, diffLines, folded } from './diff.ts'

const signs = { same: ' ', gone: '−', new: '+' } as const
const words = { same: '', gone: 'removed', new: 'added' } as const

const Line = ({ line: { kind, text } }: { line: DiffLine }) => (
  <div
    className={classes(
      'flex gap-2 whitespace-pre-wrap break-words px-2',
      kind === 'gone' && 'bg-bad-soft',
      kind === 'new' && 'bg-ok-soft',
    )}
  >
    <span aria-hidden className="w-3 shrink-0 select-none text-soft">
      {signs[kind]}
    </span>
    {words[kind] === '' ? null : <span className="sr-only">{words[kind]}</span>}
    <span className="min-w-0">{text}</span>
  </div>
)

export const DiffView = ({ before, after }: { before: string; after: string }) => {
  const parts = useMemo(() => folded(diffLines(before, after)), [before, after])
  if (before === after) return <p className="text-soft">Nothing changed.</p>
  return (
    <section aria-label="Changes" className="overflow-x-auto rounded-md border py-1 font-mono text-[12px] leading-5">
      {parts.map((part, index) =>
        'hidden' in part ? (
          <div key={`part-${index + 1}`} className="px-2 text-faint">
            … {part.hidden} line{part.hidden === 1 ? '' : 's'} as before
          </div>
        ) : (
          part.lines.map((line, at) => <Line key={`part-${index + 1}-${at + 1}`} line={line} />)
        ),
      )}
    </section>
  )
}
