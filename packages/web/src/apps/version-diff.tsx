// Compares the declaration, schemas and code of two versions of an app.
import type { App, AppVersion } from '@millrace/contract/apps'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { DiffView } from '../ui/diff-view.tsx'
import { SelectField } from '../ui/field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { dateTimeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { type VersionPart, versionParts, versionText } from './version-text.ts'

type Picker = { label: string; versions: readonly AppVersion[]; value: string; onChange: (id: string) => void }

const VersionField = ({ label, versions, value, onChange }: Picker) => (
  <SelectField label={label} fieldClass="w-64" value={value} onChange={(event) => onChange(event.target.value)}>
    {versions.map(({ id, short_id, created_at }) => (
      <option key={id} value={id}>
        {short_id}, {dateTimeText(created_at)}
      </option>
    ))}
  </SelectField>
)

const useVersion = (app: App, versionId: string) => useQuery(read('apps.version', { path: { id: app.id, versionId } }))

/** `versions` are sorted newest first and contain at least two. */
export const VersionDiff = ({ app, versions }: { app: App; versions: readonly AppVersion[] }) => {
  const [before, setBefore] = useState(versions[1]?.id ?? '')
  const [after, setAfter] = useState(versions[0]?.id ?? '')
  const [part, setPart] = useState<VersionPart>('Declaration')
  const older = useVersion(app, before)
  const newer = useVersion(app, after)
  const error = older.error ?? newer.error
  return (
    <Panel title={strings.versions.compare}>
      <div className="mb-3 flex flex-wrap gap-4">
        <VersionField label={strings.versions.from} versions={versions} value={before} onChange={setBefore} />
        <VersionField label={strings.versions.to} versions={versions} value={after} onChange={setAfter} />
      </div>
      <Tabs label={strings.versions.sections} tabs={versionParts} value={part} onChange={setPart} />
      {error ? <ProblemNote error={error} /> : null}
      {older.data && newer.data ? (
        <DiffView before={versionText(older.data, part)} after={versionText(newer.data, part)} />
      ) : error ? null : (
        <SkeletonRows rows={3} />
      )}
    </Panel>
  )
}
