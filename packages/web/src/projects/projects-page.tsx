// Projects group agents, chats and triggers that belong together.
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
import { strings } from './strings.ts'

type Kind = keyof typeof strings.kinds

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
    <Form act={save} submit={project ? strings.save : strings.create}>
      <TextField
        label={strings.name}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={strings.description}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField label={strings.kind} value={type} onChange={(event) => setType(event.target.value as Kind)}>
        {Object.entries(strings.kinds).map(([value, label]) => (
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
    {strings.remove}
    <span className="sr-only"> {label}</span>
  </Button>
)

const rowLook = 'flex items-center gap-2 rounded px-2 py-1 hover:bg-hover'

/** The content of a project, and a picker that adds agents. */
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
  const agentIds = new Set(agents.items.map(({ id }) => id))
  const others = all.items.filter(({ id }) => !agentIds.has(id))
  const isEmpty = agents.items.length + chats.items.length + triggers.items.length === 0
  if (agents.isLoading || chats.isLoading || triggers.isLoading) return <SkeletonRows rows={2} />
  return (
    <div className="flex flex-col gap-2">
      {isEmpty ? <p className="px-2 text-faint">{strings.empty}</p> : null}
      <ul>
        {agents.items.map(({ id, title, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/agents/$id" params={{ id }} className="min-w-0 grow truncate">
              {title || name} <span className="text-faint">{strings.agent}</span>
            </Link>
            <Out label={title || name} take={() => out({ agent_id: id })} />
          </li>
        ))}
        {chats.items.map(({ id, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/chats/$id" params={{ id }} className="min-w-0 grow truncate">
              {name || strings.untitledChat} <span className="text-faint">{strings.chat}</span>
            </Link>
            <Out label={name} take={() => out({ chat_id: id })} />
          </li>
        ))}
        {triggers.items.map(({ id, name }) => (
          <li key={id} className={rowLook}>
            <Link to="/triggers/$id" params={{ id }} className="min-w-0 grow truncate">
              {name} <span className="text-faint">{strings.trigger}</span>
            </Link>
            <Out label={name} take={() => out({ trigger_id: id })} />
          </li>
        ))}
      </ul>
      <Picker
        label={strings.addAgent}
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
    done: strings.deleted,
  })
  const add = (
    <Button look="primary" onClick={() => setEdited('new')}>
      {strings.newProject}
    </Button>
  )
  return (
    <Page title={strings.title} note={strings.note} actions={add}>
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
                  {strings.edit}
                  <span className="sr-only"> {project.name}</span>
                </Button>
                <ConfirmButton
                  label={strings.delete(project.name)}
                  icon={<Trash2 aria-hidden />}
                  title={strings.deleteTitle(project.name)}
                  confirm={strings.deleteConfirm}
                  act={() => remove.mutateAsync(project.id)}
                >
                  {strings.deleteText}
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
        <Empty icon={FolderKanban} title={strings.emptyTitle} action={add}>
          {strings.emptyText}
        </Empty>
      ) : null}
      <Dialog
        open={edited !== null}
        onClose={() => setEdited(null)}
        title={edited === 'new' || edited === null ? strings.newProject : edited.name}
      >
        <ProjectForm project={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        {edited === 'new' || edited === null ? null : (
          <div className="mt-4 border-t pt-4">
            <Field label={visibilityStrings.label} help={strings.visibilityHelp}>
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
