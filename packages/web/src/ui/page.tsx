// The frame of a page (title, actions, body) and its empty, loading and error states.
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Problem } from '../api/problem.ts'
import { classes } from './classes.ts'
import { ProblemTrail } from './problem-trail.tsx'

type PageProps = {
  title: string
  /** Above the title: the parent pages. */
  trail?: ReactNode
  /** The title of the browser tab, when it differs. */
  tab?: string
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Uses the whole width and height: editors and long tables. */
  full?: boolean
}

export const Page = ({ title, trail, tab, note, actions, children, full = false }: PageProps) => {
  useEffect(() => {
    document.title = `${tab ?? title} · Millrace`
  }, [tab, title])
  return (
    <div className={classes('flex min-h-0 flex-col', full ? 'grow' : 'mx-auto w-full max-w-[1200px] shrink-0 pb-16')}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-4 pb-3 md:px-6">
        <div className="min-w-0 grow">
          {trail ? <div className="mb-0.5 text-[12px] text-faint">{trail}</div> : null}
          <h1 className="truncate font-semibold text-[17px] leading-6">{title}</h1>
          {note ? <div className="text-soft">{note}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      <div className={classes('min-h-0', full ? 'flex grow flex-col' : 'px-4 md:px-6')}>{children}</div>
    </div>
  )
}

export const Panel = ({
  title,
  actions,
  children,
  className,
  flush = false,
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
  /** The content has its own padding, as tables do. */
  flush?: boolean
}) => (
  <section className={classes('min-w-0 rounded-lg border bg-surface', flush && 'overflow-clip', className)}>
    {title !== undefined ? (
      <div className="flex min-h-10 items-center gap-2 border-b px-3 py-1.5">
        <h2 className="grow font-medium">{title}</h2>
        {actions}
      </div>
    ) : null}
    <div className={flush ? '' : 'p-3'}>{children}</div>
  </section>
)

/** Says what belongs here and what to do next. */
export const Empty = ({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon?: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="flex flex-col items-center justify-center gap-2 px-6 py-14 text-center">
    {Icon ? <Icon className="size-6 text-faint" strokeWidth={1.5} aria-hidden /> : null}
    <p className="font-medium">{title}</p>
    {children ? <p className="max-w-md text-soft">{children}</p> : null}
    {action ? <div className="mt-2">{action}</div> : null}
  </div>
)

export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={classes('animate-pulse rounded bg-hover', className)} />
)

export const SkeletonRows = ({ rows = 6 }: { rows?: number }) => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-3">
    {Array.from({ length: rows }, (_, index) => (
      <Skeleton key={`row-${index + 1}`} className="h-7" />
    ))}
  </div>
)

/** A refusal for people: what happened, why, a link to the explanation, and the request id for support. */
export const ProblemNote = ({ error, retry }: { error: unknown; retry?: () => void }) => {
  const problem = error instanceof Problem ? error : null
  const words = error instanceof Error ? error.message : String(error)
  return (
    <div role="alert" className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 text-bad">
      <p className="font-medium">{problem?.title ?? 'Something went wrong'}</p>
      <p className="text-ink">{words}</p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 text-[12px] text-soft">
        {problem ? <ProblemTrail problem={problem} /> : null}
        {retry ? (
          <button type="button" className="underline" onClick={retry}>
            Try again
          </button>
        ) : null}
      </div>
    </div>
  )
}
