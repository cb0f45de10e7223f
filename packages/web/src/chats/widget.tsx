// A widget of an agent, rendered with the components of the console: a model cannot add code or load external URLs.
import type { ToolInvocation } from '@millrace/contract/chats'
import { isRecord, own } from '@millrace/contract/json'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Badge } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { BarChart } from './bar-chart.tsx'
import { strings } from './strings.ts'
import {
  boundValue,
  type Component,
  childrenOf,
  initialValues,
  readSurface,
  type Surface,
  tabsOf,
  textOf,
} from './surface.ts'
import { useWidget, WidgetContext } from './widget-context.ts'
import { Input } from './widget-input.tsx'
import { ArtifactComponent, Icon, Picture } from './widget-media.tsx'

const words = strings.widget
const maxDepth = 24

const Children = ({ of, depth }: { of: Component; depth: number }) =>
  childrenOf(of.props).map((id) => <ComponentView key={id} id={id} depth={depth + 1} />)

const headings = { h1: 'text-[17px]', h2: 'text-[15px]', h3: 'text-[14px]' } as const

const Text = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  const text = textOf(props.text ?? props.content, surface.data)
  const variant = String(props.variant ?? props.usageHint ?? '')
  if (Object.hasOwn(headings, variant))
    return <p className={`font-semibold ${headings[variant as keyof typeof headings]}`}>{text}</p>
  return <LazyMarkdown text={text} />
}

/** The label of a button: its own or that of its child. */
const labelOf = ({ props }: Component, { components, data }: Surface): string =>
  textOf(props.label ?? props.text, data) ||
  childrenOf(props)
    .map((child) => textOf(components.get(child)?.props.text, data))
    .join(' ')

const ActionButton = ({ component }: { component: Component }) => {
  const { surface, send, busy } = useWidget()
  const { id, props } = component
  const label = labelOf(component, surface) || words.send
  const { action } = props
  const payload = isRecord(action) ? action : { name: typeof action === 'string' ? action : id }
  return (
    <Button
      look={props.variant === 'secondary' ? 'plain' : 'primary'}
      className="self-start"
      busy={busy}
      disabled={send === null}
      onClick={() => send?.(payload)}
    >
      {label}
    </Button>
  )
}

const Panes = ({ component, depth }: { component: Component; depth: number }) => {
  const { surface } = useWidget()
  const panes = tabsOf(component.props, surface.data)
  const [chosen, setChosen] = useState('')
  const shown = panes.find(({ title }) => title === chosen) ?? panes[0]
  if (!shown) return <Children of={component} depth={depth} />
  return (
    <div className="min-w-0">
      <Tabs label={words.sections} tabs={panes.map(({ title }) => title)} value={shown.title} onChange={setChosen} />
      <ComponentView id={shown.child} depth={depth + 1} />
    </div>
  )
}

/** A modal of the surface, rendered as a disclosure. */
const Disclosure = ({ component, depth }: { component: Component; depth: number }) => {
  const { surface } = useWidget()
  const { props } = component
  const opener = surface.components.get(String(props.trigger ?? props.entryPointChild ?? ''))
  const label =
    textOf(props.title ?? props.label, surface.data) || (opener ? labelOf(opener, surface) : '') || words.showMore
  return (
    <details className="rounded-md border px-3 py-2">
      <summary className="cursor-pointer font-medium">{label}</summary>
      <div className={`${stack} mt-2`}>
        <Children of={component} depth={depth} />
      </div>
    </details>
  )
}

const stack = 'flex min-w-0 flex-col gap-2.5'

const kinds: Readonly<Record<string, (component: Component, depth: number) => ReactNode>> = {
  Row: (component, depth) => (
    <div className="flex min-w-0 flex-wrap items-center gap-3">
      <Children of={component} depth={depth} />
    </div>
  ),
  Column: (component, depth) => (
    <div className={stack}>
      <Children of={component} depth={depth} />
    </div>
  ),
  List: (component, depth) => (
    <ul className={stack}>
      {childrenOf(component.props).map((id) => (
        <li key={id}>
          <ComponentView id={id} depth={depth + 1} />
        </li>
      ))}
    </ul>
  ),
  Card: (component, depth) => (
    <div className={`${stack} rounded-lg border bg-surface p-3`}>
      <Children of={component} depth={depth} />
    </div>
  ),
  Tabs: (component, depth) => <Panes component={component} depth={depth} />,
  Text: (component) => <Text component={component} />,
  Button: (component) => <ActionButton component={component} />,
  Divider: () => <hr />,
  Spacer: () => <div className="h-2" />,
  Badge: (component) => <Label component={component} />,
  Chart: (component) => <Figures component={component} />,
  Image: (component) => <Picture component={component} />,
  Icon: (component) => <Icon component={component} />,
  Artifact: (component) => <ArtifactComponent component={component} />,
  Modal: (component, depth) => <Disclosure component={component} depth={depth} />,
  ...Object.fromEntries(
    ['TextField', 'CheckBox', 'Slider', 'DateTimeInput', 'ChoicePicker'].map((kind) => [
      kind,
      (component: Component) => <Input component={component} />,
    ]),
  ),
}

const Label = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  return <Badge tone="accent">{textOf(props.text ?? props.label, surface.data)}</Badge>
}

const Figures = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  return <BarChart data={boundValue(props.data ?? props.values, surface.data) ?? props.data} />
}

/** Unknown kinds are laid out as columns. */
const ComponentView = ({ id, depth }: { id: string; depth: number }) => {
  const { surface } = useWidget()
  const component = surface.components.get(id)
  // A component may contain itself.
  if (!component || depth > maxDepth) return null
  return (own(kinds, component.kind) ?? kinds.Column)?.(component, depth)
}

type WidgetProps = {
  invocation: ToolInvocation
  /** Otherwise the widget is read-only. */
  mayAnswer: boolean
}

const SurfaceView = ({ invocation, mayAnswer, surface }: WidgetProps & { surface: Surface }) => {
  const [values, setValues] = useState(() => initialValues(surface))
  const answer = useAct({
    work: (action: unknown) =>
      call('tools.answer', { path: { id: invocation.id }, body: { action, form_data: values } }),
    touches: ['inbox'],
  })
  const isOpen = mayAnswer && invocation.status === 'awaiting_input'
  return (
    <WidgetContext
      value={{
        surface,
        values,
        set: (name, value) => setValues((values) => ({ ...values, [name]: value })),
        send: isOpen ? (action) => answer.mutate(action) : null,
        busy: answer.isPending,
      }}
    >
      <ComponentView id="root" depth={0} />
    </WidgetContext>
  )
}

/** HTML of a model is rendered in a sandboxed frame without scripts and forms. */
export const Widget = ({ invocation, mayAnswer }: WidgetProps) => {
  const { widget } = invocation
  if (isRecord(widget) && typeof widget.html === 'string')
    return (
      <iframe
        title={typeof widget.title === 'string' ? widget.title : words.content}
        sandbox=""
        srcDoc={widget.html}
        className="h-80 w-full rounded-lg border bg-white"
      />
    )
  const surface = readSurface(widget)
  return surface ? <SurfaceView invocation={invocation} mayAnswer={mayAnswer} surface={surface} /> : null
}
