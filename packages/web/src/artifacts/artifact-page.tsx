// One artifact in an isolated frame, with its versions next to it.
import type { Artifact, ArtifactVersion } from '@millrace/contract/artifacts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { Transfer } from '../shell/transfer.tsx'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { sizeText } from '../ui/time-text.ts'
import { artifactVisibilities } from './address.ts'
import { ArtifactFrame, useArtifactAddress } from './artifact-frame.tsx'
import { PublishVersion } from './publish.tsx'
import { strings } from './strings.ts'

const words = strings.page

/** The editor of the next version, which starts with the latest content. */
const NewVersion = ({ artifact }: { artifact: Artifact }) => {
  const [open, setOpen] = useState(false)
  const { data, error } = useQuery({
    ...read('artifacts.version_content', { path: { id: artifact.id, versionId: artifact.version_id } }),
    enabled: open,
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.newVersion}</Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={words.newVersionTitle(artifact.title || artifact.name)}
        wide
      >
        {error ? <ProblemNote error={error} /> : null}
        {data ? <PublishVersion artifact={artifact} content={data.content} onDone={() => setOpen(false)} /> : null}
        {data || error ? null : <SkeletonRows rows={4} />}
      </Dialog>
    </>
  )
}

const ArtifactPage = () => {
  const { id } = useParams({ from: '/artifacts/$id' })
  const navigate = useNavigate()
  const { team } = useSession()
  const { data: artifact, error } = useQuery(read('artifacts.get', { path: { id } }))
  const versions = useList('artifacts.versions', {}, { path: { id } })
  const [chosen, setChosen] = useState('')
  const show = useAct({
    work: (visibility: (typeof artifactVisibilities)[number]) =>
      call('artifacts.set_visibility', { path: { id }, body: { visibility } }),
    touches: ['artifacts'],
  })
  const pin = useAct({
    work: (shared_version_id: string) => call('artifacts.update', { path: { id }, body: { shared_version_id } }),
    touches: ['artifacts'],
    done: (out) => (out.shared_version_id ? words.versionShared : words.latestShared),
  })
  const remove = useRemoval({
    work: () => call('artifacts.delete', { path: { id } }),
    resource: 'artifacts',
    done: words.deleted,
    leave: () => navigate({ to: '/artifacts' }),
  })
  const version = chosen || (artifact?.version_id ?? '')
  const address = useArtifactAddress(id, version)
  const trail = (
    <Link to="/artifacts" className="hover:underline">
      {strings.title}
    </Link>
  )
  if (!artifact)
    return (
      <Page title={strings.artifact} trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  const isOwn = artifact.team_id === team.id
  return (
    <Page
      full
      title={artifact.title || artifact.name}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-x-3">
          {artifact.description}
          <code className="font-mono text-[12px]">
            {artifact.namespace}/{artifact.name}
          </code>
          <Id id={artifact.id} />
        </span>
      }
      actions={
        <>
          <a href={address} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            {words.open}
          </a>
          {isOwn ? <NewVersion artifact={artifact} /> : null}
          {isOwn ? (
            <ConfirmButton
              label={words.delete}
              title={words.deleteTitle(artifact.title || artifact.name)}
              confirm={words.delete}
              act={remove}
            >
              {words.deleteText}
            </ConfirmButton>
          ) : null}
        </>
      }
    >
      <div className="flex min-h-0 grow flex-col gap-4 px-4 pb-4 md:px-6 lg:flex-row">
        <ArtifactFrame address={address} title={artifact.title || artifact.name} className="min-h-80 grow" />
        <div className="flex w-full shrink-0 flex-col gap-4 overflow-y-auto lg:w-72">
          {isOwn ? (
            <Panel title={words.sharing}>
              <VisibilityField value={artifact.visibility} choices={artifactVisibilities} onChoose={show.mutate} />
            </Panel>
          ) : null}
          <Panel title={words.versions} flush>
            <ul className="p-1">
              {versions.items.map((one: ArtifactVersion) => (
                <li key={one.id} className={classes('rounded-md px-2 py-1', one.id === version && 'bg-hover')}>
                  <button
                    type="button"
                    className="flex min-h-6 w-full items-center gap-2"
                    onClick={() => setChosen(one.id)}
                  >
                    <span className="figures font-medium">{one.number}</span>
                    <span className="min-w-0 grow truncate text-left text-soft">{one.label || one.notes || ''}</span>
                    {one.id === artifact.shared_version_id ? <Badge tone="accent">{words.shared}</Badge> : null}
                    <span className="figures text-faint">{sizeText(one.size_bytes)}</span>
                    <span className="text-faint">
                      <Ago time={one.created_at} />
                    </span>
                  </button>
                  {isOwn && one.id === version ? (
                    <Button
                      look="quiet"
                      className="h-6"
                      onClick={() => pin.mutate(one.id === artifact.shared_version_id ? '' : one.id)}
                    >
                      {one.id === artifact.shared_version_id ? words.shareLatest : words.shareVersion}
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          </Panel>
          {isOwn ? (
            <Transfer
              what={`${artifact.namespace}/${artifact.name}`}
              give={(team_id) => call('artifacts.transfer', { path: { id }, body: { team_id } })}
              resource="artifacts"
              leave={() => navigate({ to: '/artifacts' })}
            >
              {words.transferText}
            </Transfer>
          ) : null}
        </div>
      </div>
    </Page>
  )
}

export default ArtifactPage
