// Failed runs grouped by cause: the most frequent first.
import type { UsageSummary } from '@millrace/contract/billing'
import { Link } from '@tanstack/react-router'
import { CsvButton } from '../ui/csv-button.tsx'
import { Panel } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { countText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.failures

const header = ['count', 'app', 'cause', 'example', 'first_seen', 'last_seen', 'last_run']

type FailureList = UsageSummary['failures']

const rowsOf = (failures: FailureList) =>
  failures.map(({ count, ref, cause, example, first_seen, last_seen, last_task_id }) => [
    count,
    ref,
    cause,
    example,
    first_seen,
    last_seen,
    last_task_id,
  ])

const Failure = ({ failure }: { failure: FailureList[number] }) => (
  <li className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-0.5 border-b px-3 py-2 last:border-0 md:grid-cols-[60px_minmax(0,1fr)_auto]">
    <span className="figures font-semibold text-bad">{words.count(countText(failure.count))}</span>
    <div className="min-w-0">
      <p className="truncate" title={failure.example}>
        {failure.cause}
      </p>
      <p className="text-[12px] text-faint">
        {failure.ref} · {words.seen} <Ago time={failure.first_seen} />, {words.last} <Ago time={failure.last_seen} />
      </p>
    </div>
    <Link
      to="/runs/$id"
      params={{ id: failure.last_task_id }}
      className="text-accent hover:underline max-md:col-start-2"
      aria-label={`${words.openLatest}: ${failure.cause}`}
    >
      {words.openLatest}
    </Link>
  </li>
)

export const Failures = ({ failures }: { failures: FailureList }) => (
  <Panel
    title={words.title}
    flush
    actions={
      <CsvButton name="failures" header={header} rows={() => rowsOf(failures)} disabled={failures.length === 0} />
    }
  >
    {failures.length === 0 ? <p className="p-3 text-faint">{words.none}</p> : null}
    <ul>
      {failures.map((failure) => (
        <Failure key={`${failure.app_id} ${failure.cause}`} failure={failure} />
      ))}
    </ul>
  </Panel>
)
