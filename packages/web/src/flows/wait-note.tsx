// The event that a waiting node of a run waits for.
import type { NodeWait } from '@millrace/contract/flow-runs'
import { CopyButton } from '../ui/copy.tsx'
import { dateTimeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.run

export const WaitNote = ({ wait: { kind, until, url } }: { wait: NodeWait }) => (
  <div className="flex flex-col gap-2 text-soft">
    {kind === 'resume' ? <p>{words.waitsForUrl}</p> : null}
    {until ? (
      <p>
        {words.waitsUntil} <time dateTime={until}>{dateTimeText(until)}</time>
      </p>
    ) : null}
    {url ? (
      <p className="flex items-center gap-1">
        <code className="min-w-0 truncate font-mono text-[12px]">{url}</code>
        <CopyButton text={url} label={words.copyResumeUrl} />
      </p>
    ) : null}
  </div>
)
