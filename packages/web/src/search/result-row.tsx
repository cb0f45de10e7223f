// One search result: its name, its description and, if the words occur in its text, the passage; with the words
// highlighted.
import { Link } from '@tanstack/react-router'
import { classes } from '../ui/classes.ts'
import { Skeleton } from '../ui/page.tsx'
import { addressOf, type Hit } from './hits.ts'
import { usePassage } from './use-search-results.ts'
import { marked } from './words.ts'

const Marked = ({ text, query }: { text: string; query: string }) =>
  marked(text, query).map((piece, index) =>
    piece.marked ? (
      <mark key={`piece-${index + 1}`} className="rounded-sm bg-warn-soft text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )

export const ResultRow = ({ hit, query }: { hit: Hit; query: string }) => {
  const address = addressOf(hit)
  const { ref, isNeeded, isPending, passage } = usePassage<HTMLLIElement>(hit, query)
  const body = (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">
          <Marked text={hit.title} query={query} />
        </span>
        <code className="min-w-0 truncate font-mono text-[12px] text-faint">
          {hit.namespace}/{hit.name}
        </code>
      </span>
      <span className="line-clamp-2 text-soft">
        <Marked text={hit.about} query={query} />
      </span>
      {isNeeded ? (
        // Reserves space while the text loads.
        <span className="mt-1 line-clamp-2 min-h-10 border-line-strong border-l-2 pl-2 text-[12px] text-soft leading-5">
          {isPending ? <Skeleton className="h-4 w-2/3" /> : <Marked text={passage} query={query} />}
        </span>
      ) : null}
    </>
  )
  const look = 'block rounded-md px-3 py-2'
  return (
    <li ref={ref}>
      {address === null ? (
        <div className={look}>{body}</div>
      ) : (
        <Link to={address} className={classes(look, 'hover:bg-hover')}>
          {body}
        </Link>
      )}
    </li>
  )
}
