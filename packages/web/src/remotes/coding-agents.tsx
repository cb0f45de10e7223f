// The coding agents of a machine. Starts a chat with one of them in a folder, as a new session or as a resumed one.
import type { HarnessSession, Remote, RemoteProfile } from '@millrace/contract/remotes'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { strings } from './strings.ts'

const words = strings.agents

const titleOf = (profile: RemoteProfile): string => profile.display_name || profile.name

const sessionText = ({ title, cwd, id }: HarnessSession): string =>
  [title || id.slice(0, 8), cwd].filter((part) => part !== undefined && part !== '').join(' in ')

const LaunchForm = ({ remote, profile }: { remote: Remote; profile: RemoteProfile }) => {
  const navigate = useNavigate()
  const [workDir, setWorkDir] = useState('')
  const [resumed, setResumed] = useState('')
  const sessions = useQuery(read('remotes.sessions', { path: { id: remote.id } }))
  const own = (sessions.data ?? []).filter(({ harness, live }) => harness === profile.harness_kind && !live)
  const launch = useAct({
    work: () =>
      call('remotes.launch', {
        path: { id: remote.id },
        body: {
          profile_id: profile.id,
          ...(workDir === '' ? {} : { work_dir: workDir }),
          ...(resumed === '' ? {} : { resume_session_id: resumed }),
        },
      }),
    touches: ['chats'],
    after: ({ id }) => navigate({ to: '/chats/$id', params: { id } }),
    quiet: true,
  })
  return (
    <Form act={launch} submit={words.start}>
      <TextField
        label={words.folder}
        placeholder="/home/ada/mill"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[12px]"
        help={words.folderHelp}
        value={workDir}
        onChange={(event) => setWorkDir(event.target.value)}
      />
      <SelectField label={words.session} value={resumed} onChange={(event) => setResumed(event.target.value)}>
        <option value="">{words.newSession}</option>
        {own.map((session) => (
          <option key={session.id} value={session.id}>
            {words.resume(sessionText(session))}
          </option>
        ))}
      </SelectField>
      {sessions.error ? <ProblemNote error={sessions.error} /> : null}
    </Form>
  )
}

export const CodingAgents = ({ remote, isOwn }: { remote: Remote; isOwn: boolean }) => {
  const [chosen, setChosen] = useState<RemoteProfile | null>(null)
  const mayLaunch = isOwn && remote.agents_enabled && remote.status === 'running'
  if (remote.profiles.length === 0) return null
  return (
    <Panel title={words.title}>
      <ul className="flex flex-col gap-1">
        {remote.profiles.map((profile) => (
          <li key={profile.id} className="flex min-h-8 items-center gap-2">
            <span className="font-medium">{titleOf(profile)}</span>
            <span className="min-w-0 grow truncate text-soft">{profile.version}</span>
            <Badge>{profile.status}</Badge>
            {mayLaunch && profile.status === 'idle' ? (
              <Button aria-label={words.chatWith(titleOf(profile))} onClick={() => setChosen(profile)}>
                {words.chat}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <Dialog
        open={chosen !== null}
        onClose={() => setChosen(null)}
        title={chosen ? `${titleOf(chosen)} on ${remote.name}` : ''}
      >
        {chosen ? <LaunchForm remote={remote} profile={chosen} /> : null}
      </Dialog>
    </Panel>
  )
}
