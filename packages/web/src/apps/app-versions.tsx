// The versions of an app: make one current, deploy a new one, compare two.
import type { App, AppVersion } from '@millrace/contract/apps'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { DeployVersion } from './deploy-version.tsx'
import { strings } from './strings.ts'
import { VersionDiff } from './version-diff.tsx'

const words = strings.versions

export const AppVersions = ({ app }: { app: App }) => {
  const { team } = useSession()
  const list = useList('apps.versions', { sort: [{ field: 'created_at', dir: 'desc' }] }, { path: { id: app.id } })
  const promote = useAct({
    work: (versionId: string) => call('apps.promote', { path: { id: app.id, versionId } }),
    touches: ['apps'],
    done: words.madeCurrent,
  })
  const isOwn = app.team_id === team.id
  const columns: Column<AppVersion>[] = [
    { id: 'id', header: uiStrings.version, width: '150px', cell: ({ id }) => <Id id={id} /> },
    {
      id: 'current',
      header: '',
      width: '90px',
      cell: ({ id }) => (id === app.version_id ? <Badge tone="ok">{words.current}</Badge> : null),
    },
    { id: 'kernel', header: words.runtime, wide: true, cell: ({ kernel }) => kernel },
    {
      id: 'functions',
      header: words.functions,
      wide: true,
      cell: ({ functions }) => Object.keys(functions ?? {}).join(', '),
    },
    { id: 'time', header: words.deployed, width: '110px', cell: ({ created_at }) => <Ago time={created_at} /> },
    {
      id: 'act',
      header: '',
      width: '130px',
      end: true,
      cell: ({ id }) =>
        isOwn && id !== app.version_id ? (
          <Button className="h-7" busy={promote.isPending} onClick={() => promote.mutate(id)}>
            {words.makeCurrent}
          </Button>
        ) : null,
    },
  ]
  return (
    <div className="flex flex-col gap-4">
      <Panel flush>
        <Table
          label={uiStrings.versions}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<Empty title={words.emptyTitle} />}
        />
      </Panel>
      {isOwn && app.version && app.version.flow_version_id === undefined ? (
        <DeployVersion app={app} before={app.version} />
      ) : null}
      {list.items.length > 1 ? <VersionDiff key={list.items[0]?.id} app={app} versions={list.items} /> : null}
    </div>
  )
}
