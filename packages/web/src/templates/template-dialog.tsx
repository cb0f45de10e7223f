// The templates as cards; a click creates the flow and opens it. Loaded when first opened.
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { allRows } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Dialog } from '../ui/dialog.tsx'
import { appsOf, graphOf } from './graph.ts'
import { strings } from './strings.ts'
import type { Template } from './template.ts'
import { templates } from './templates.ts'

const maxApps = 100

/** The included apps by name. */
const includedApps = async (names: readonly string[]): Promise<Map<string, string>> => {
  const filters = [
    { field: 'namespace', operator: 'eq', value: 'millrace' },
    { field: 'name', operator: 'in', value: [...names] },
  ]
  const apps = names.length === 0 ? [] : await allRows('apps.list', { include_others: true, filters }, maxApps)
  return new Map(apps.map(({ name, id }) => [name, id]))
}

const createFrom = async (template: Template) => {
  const graph = graphOf(template, await includedApps(appsOf(template)))
  const flow = await call('flows.create', { body: { title: template.title, description: template.text } })
  await call('flows.replace', { path: { id: flow.id }, body: { title: flow.title, ...graph } })
  return flow
}

/** The apps in their order, as a picture of the flow. */
const Steps = ({ template }: { template: Template }) => {
  const apps = appsOf(template)
  return (
    <span className="mt-1 flex flex-wrap gap-1 text-[11px] text-faint">
      <span className="sr-only">{apps.length === 0 ? strings.usesNone : strings.uses(apps.join(', '))}</span>
      {template.steps.map((step) => (
        <span key={step.id} aria-hidden className="rounded border bg-canvas px-1.5 py-0.5 font-mono">
          {step.type === 'appNode' ? step.app : step.type}
        </span>
      ))}
    </span>
  )
}

const TemplateDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const navigate = useNavigate()
  const create = useAct({
    work: createFrom,
    touches: ['flows'],
    after: ({ id }) => navigate({ to: '/flows/$id', params: { id } }),
  })
  return (
    <Dialog open={open} onClose={onClose} title={strings.title} wide>
      <p className="pb-3 text-soft">{strings.intro}</p>
      <ul className="grid gap-3 sm:grid-cols-2">
        {templates.map((template) => (
          <li key={template.id}>
            <button
              type="button"
              aria-label={strings.use(template.title)}
              disabled={create.isPending}
              className="flex h-full w-full flex-col items-start rounded-lg border p-3 text-left hover:border-accent hover:bg-hover disabled:opacity-60"
              onClick={() => create.mutate(template)}
            >
              <span className="font-medium">{template.title}</span>
              <span className="grow text-soft">{template.text}</span>
              <Steps template={template} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export default TemplateDialog
