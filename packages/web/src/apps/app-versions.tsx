// Versions of an app: which one runs, making another one current, and what changed between two.
import type { App, AppVersion } from '@millrace/contract/apps'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { DeployVersion } from './deploy-version.tsx'
import { VersionDiff } from './version-diff.tsx'

export const AppVersions = ({ app }: { app: App }) => {
  const { team } = useSession()
  const list = useList('apps.versions', { sort: [{ field: 'created_at', dir: 'desc' }] }, { path: { id: app.id } })
  const promote = useAct({
    work: (versionId: string) => call('apps.promote', { path: { id: app.id, versionId } }),
    touches: ['apps'],
    done: 'This version runs from now on',
  })
  const mine = app.team_id === team.id
  const columns: Column<AppVersion>[] = [
    { id: 'id', header: 'Version', width: '150px', cell: ({ id }) => <Id id={id} /> },
    {
      id: 'current',
      header: '',
      width: '90px',
      cell: ({ id }) => (id === app.version_id ? <Badge tone="ok">current</Badge> : null),
    },
    { id: 'kernel', header: 'Runs on', wide: true, cell: ({ kernel }) => kernel },
    {
      id: 'functions',
      header: 'Functions',
      wide: true,
      cell: ({ functions }) => Object.keys(functions ?? {}).join(', '),
    },
    { id: 'time', header: 'Deployed', width: '110px', cell: ({ created_at }) => <Ago time={created_at} /> },
    {
      id: 'act',
      header: '',
      width: '130px',
      end: true,
      cell: ({ id }) =>
        mine && id !== app.version_id ? (
          <Button className="h-7" busy={promote.isPending} onClick={() => promote.mutate(id)}>
            Make current
          </Button>
        ) : null,
    },
  ]
  return (
    <div className="flex flex-col gap-4">
      <Panel flush>
        <Table
          label="Versions"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<Empty title="No versions yet" />}
        />
      </Panel>
      {mine && app.version && app.version.flow_version_id === undefined ? (
        <DeployVersion app={app} before={app.version} />
      ) : null}
      {list.items.length > 1 ? <VersionDiff key={list.items[0]?.id} app={app} versions={list.items} /> : null}
    </div>
  )
}
