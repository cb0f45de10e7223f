// One app: its form next to a run on the first tab; API, code, versions and settings on the others.
import type { App } from '@millrace/contract/apps'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { read } from '../api/queries.ts'
import { Page } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useTab } from '../ui/use-tab.ts'
import { DuplicateButton } from './app-actions.tsx'
import { AppApi, CallPanel } from './app-api.tsx'
import { AppCode } from './app-code.tsx'
import { AppRun } from './app-run.tsx'
import { AppSettings } from './app-settings.tsx'
import { AppVersions } from './app-versions.tsx'
import { draftFor, dropDraft } from './draft.ts'
import { strings } from './strings.ts'

const tabs = ['Run', 'API', 'Code', 'Versions', 'Settings'] as const

const Notes = ({ app }: { app: App }) => (
  <span className="flex flex-wrap items-center gap-2">
    <span className="max-w-2xl">{app.description}</span>
    {app.status === 'active' ? null : <Badge tone="warn">{app.status_message || strings.statuses[app.status]}</Badge>}
  </span>
)

const AppPage = () => {
  const { namespace, name } = useParams({ from: '/apps/$namespace/$name' })
  const { data: app } = useSuspenseQuery(read('apps.get_by_ref', { path: { namespace, name } }))
  const [tab, setTab] = useTab(tabs)
  const [input, setInput] = useState<Record<string, unknown>>({})
  const [apiKey, setApiKey] = useState<string>()
  const functions = Object.keys(app.version?.functions ?? {})
  const [draft] = useState(() => draftFor(app.id))
  useEffect(() => dropDraft(app.id), [app.id])
  const [chosen, setChosen] = useState(draft?.function || app.version?.default_function || functions[0] || 'run')
  const appCall = { app, chosen, input, apiKey, onKey: setApiKey }
  return (
    <Page
      title={app.title || app.name}
      trail={
        <>
          <Link to="/apps" className="hover:underline">
            {strings.title}
          </Link>{' '}
          / {app.namespace}/{app.name}
        </>
      }
      note={<Notes app={app} />}
      actions={<DuplicateButton app={app} />}
    >
      <Tabs label={strings.page.sections} tabs={tabs} value={tab} onChange={setTab} />
      {/* Hidden instead of unmounted: the form and the run survive a visit to another tab. */}
      <div hidden={tab !== 'Run'}>
        <AppRun
          app={app}
          chosen={chosen}
          draft={draft}
          onChoose={setChosen}
          onInput={setInput}
          belowRun={tab === 'Run' ? <CallPanel {...appCall} /> : null}
        />
      </div>
      {tab === 'API' ? <AppApi {...appCall} /> : null}
      {tab === 'Code' ? <AppCode app={app} /> : null}
      {tab === 'Versions' ? <AppVersions app={app} /> : null}
      {tab === 'Settings' ? <AppSettings app={app} /> : null}
    </Page>
  )
}

export default AppPage
