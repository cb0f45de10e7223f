// Projects: folders that keep agents, chats and triggers of one piece of work together.
import type { MoveToProject, Project } from '@millrace/contract/projects'
import { Link } from '@tanstack/react-router'
import { FolderKanban, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilitySelect } from '../shell/visibility-select.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Field, SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { choicesOf, Picker, useMatches } from '../ui/picker.tsx'

const kinds = { agent: 'Agents', app: 'Apps', flow: 'Flows', other: 'Anything' } as const
type Kind = keyof typeof kinds

const ProjectForm = ({ project, onDone }: { project: Project | null; onDone: () => void }) => {
  const [name, setName] = useState(project?.name ?? '')
  const [description, setDescription] = useState(project?.description ?? '')
  const [type, setType] = useState<Kind>(project?.type ?? 'other')
  const save = useAct({
    work: () =>
      project
        ? call('projects.update', { path: { id: project.id }, body: { name, description, type } })
        : call('projects.create', { body: { name, description, type } }),
    touches: ['projects'],
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={project ? 'Save' : 'Create the project'}>
      <TextField label="Name" required autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <TextField label="About" value={description} onChange={(event) => setDescription(event.target.value)} />
      <SelectField label="Mostly" value={type} onChange={(event) => setType(event.target.value as Kind)}>
        {Object.entries(kinds).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </Form>
  )
}

const inProject = (id: string) => ({ limit: 50, filters: [{ field: 'project_id', operator: 'eq', value: id }] })

const Out = ({ label, take }: { label: string; take: () => void }) => (
  <Button look="quiet" className="h-6" onClick={take}>
    Take out<span className="sr-only"> {label}</span>
  </Button>
)

const rowLook = 'flex items-center gap-2 rounded px-2 py-1 hover:bg-hover'

/** What is in it, and what of the workspace's agents could be. */
const Contents = ({ project }: { project: Project }) => {
  const agents = useList('agents.list', inProject(project.id))
  const chats = useList('chats.list', inProject(project.id))
  const triggers = useList('triggers.list', inProject(project.id))
  const [term, setTerm] = useState('')
  const all = useMatches('agents.list', term, { sort: [{ field: 'name', dir: 'asc' }] })
  const move = useAct({
    work: (body: MoveToProject) => call('projects.move', { body }),
    touches: ['agents', 'chats', 'triggers'],
  })
  const out = (part: { agent_id: string } | { chat_id: string } | { trigger_id: string }) =>
    move.mutate({ project_id: null, ...part })
  const held = new Set(agents.items.map(({ id }) => id))
  const others = all.items.filter(({ id }) => !held.has(id))
  const isEmpty = agents.items.length + chats.items.length + triggers.items.length === 0
  if (agents.isLoading || chats.isLoading || triggers.isLoading) return <SkeletonRows rows={2} />
  return (
    <div className="flex flex-col gap-2">
      {isEmpty ? <p className="px-2 text-faint">Nothing is in it yet.</p> : null}
      <ul>
        {agents.items.map(({ id, title, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/agents/$id" params={{ id }} className="min-w-0 grow truncate">
              {title || name} <span className="text-faint">agent</span>
            </Link>
            <Out label={title || name} take={() => out({ agent_id: id })} />
          </li>
        ))}
        {chats.items.map(({ id, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/chats/$id" params={{ id }} className="min-w-0 grow truncate">
              {name || 'New chat'} <span className="text-faint">chat</span>
            </Link>
            <Out label={name} take={() => out({ chat_id: id })} />
          </li>
        ))}
        {triggers.items.map(({ id, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/triggers/$id" params={{ id }} className="min-w-0 grow truncate">
              {name} <span className="text-faint">trigger</span>
            </Link>
            <Out label={name} take={() => out({ trigger_id: id })} />
          </li>
        ))}
      </ul>
      <Picker
        label="Put an agent in"
        fieldClass="max-w-xs"
        chosen={null}
        groups={[{ choices: choicesOf(others) }]}
        isLoading={all.isLoading}
        onTerm={setTerm}
        onChoose={({ value }) => move.mutate({ project_id: project.id, agent_id: value })}
      />
    </div>
  )
}

const ProjectsPage = () => {
  const list = useList('projects.list', { sort: [{ field: 'name', dir: 'asc' }] })
  const [edited, setEdited] = useState<Project | 'new' | null>(null)
  const remove = useAct({
    work: (id: string) => call('projects.delete', { path: { id } }),
    touches: ['projects'],
    done: 'Deleted; what was in it stays',
  })
  const add = (
    <Button look="primary" onClick={() => setEdited('new')}>
      New project
    </Button>
  )
  return (
    <Page title="Projects" note="Keep agents, chats and triggers of one piece of work together." actions={add}>
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      {list.isLoading ? <SkeletonRows /> : null}
      <div className="grid gap-4 lg:grid-cols-2">
        {list.items.map((project) => (
          <Panel
            key={project.id}
            title={project.name}
            actions={
              <>
                <Button look="quiet" onClick={() => setEdited(project)}>
                  Change<span className="sr-only"> {project.name}</span>
                </Button>
                <ConfirmButton
                  label={`Delete ${project.name}`}
                  icon={<Trash2 aria-hidden />}
                  title={`Delete ${project.name}?`}
                  confirm="Delete"
                  act={() => remove.mutateAsync(project.id)}
                >
                  What is in it stays where it is, without a project.
                </ConfirmButton>
              </>
            }
          >
            {project.description ? <p className="mb-2 text-soft">{project.description}</p> : null}
            <Contents project={project} />
          </Panel>
        ))}
      </div>
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <Empty icon={FolderKanban} title="No projects yet" action={add}>
          A project is a folder; nothing that is in it changes who may see it.
        </Empty>
      ) : null}
      <Dialog
        open={edited !== null}
        onClose={() => setEdited(null)}
        title={edited === 'new' || edited === null ? 'New project' : edited.name}
      >
        <ProjectForm project={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        {edited === 'new' || edited === null ? null : (
          <div className="mt-4 border-t pt-4">
            <Field label={visibilityStrings.label} help="What is in it is seen as it was">
              {(ids) => (
                <VisibilitySelect
                  row={edited}
                  rule="wider"
                  touches={['projects']}
                  save={(visibility) =>
                    call('projects.set_visibility', { path: { id: edited.id }, body: { visibility } })
                  }
                  ids={ids}
                />
              )}
            </Field>
          </div>
        )}
      </Dialog>
    </Page>
  )
}

export default ProjectsPage
