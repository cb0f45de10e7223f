// Whether a flow is a draft, published, or published with later edits.
import type { Flow } from '@millrace/contract/flows'
import { Badge } from '../ui/status.tsx'
import { hasUnpublishedChanges } from './graph-model.ts'
import { strings } from './strings.ts'

export const PublishStatus = ({ flow }: { flow: Flow }) => {
  if (!flow.published_version_id) return <Badge>{strings.statuses.draft}</Badge>
  if (hasUnpublishedChanges(flow)) return <Badge tone="warn">{strings.statuses.changed}</Badge>
  return <Badge tone="ok">{strings.statuses.published}</Badge>
}
