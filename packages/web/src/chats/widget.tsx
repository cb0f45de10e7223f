// A surface that an agent shows. Its parts are the console's own, so a model can lay out words and fields but bring in no
// code and no address of its own; pictures from elsewhere are named, not loaded.
import type { ToolInvocation } from '@millrace/contract/chats'
import { isRecord, own } from '@millrace/contract/json'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Badge } from '../ui/status.tsx'
import { Bars } from './bars.tsx'
import {
  boundValue,
  type Component,
  childrenOf,
  fieldName,
  firstValues,
  optionsOf,
  readSurface,
  type Surface,
  textOf,
} from './surface.ts'

type Filled = {
  surface: Surface
  values: Record<string, unknown>
  set: (name: string, value: unknown) => void
  send: ((action: unknown) => void) | null
  busy: boolean
}

const Context = createContext<Filled | null>(null)

const useFilled = (): Filled => {
  const filled = useContext(Context)
  if (!filled) throw new Error('A part of a surface stands outside of one')
  return filled
}

const mostDeep = 24

const Children = ({ of, depth }: { of: Component; depth: number }) =>
  childrenOf(of.props).map((id) => <Part key={id} id={id} depth={depth + 1} />)

const headings = { h1: 'text-[17px]', h2: 'text-[15px]', h3: 'text-[14px]' } as const

const Text = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  const text = textOf(props.text ?? props.content, surface.data)
  const variant = String(props.variant ?? props.usageHint ?? '')
  if (Object.hasOwn(headings, variant))
    return <p className={`font-semibold ${headings[variant as keyof typeof headings]}`}>{text}</p>
  return <LazyMarkdown text={text} />
}

const Input = ({ component }: { component: Component }) => {
  const { surface, values, set, send } = useFilled()
  const { props, kind } = component
  const name = fieldName(component)
  const label = textOf(props.label, surface.data) || name
  const value = values[name]
  const common = { label, disabled: send === null }
  if (kind === 'CheckBox')
    return <CheckField {...common} checked={value === true} onChange={(event) => set(name, event.target.checked)} />
  if (kind === 'ChoicePicker')
    return (
      <SelectField {...common} value={String(value ?? '')} onChange={(event) => set(name, event.target.value)}>
        <option value="">Choose</option>
        {optionsOf(props, surface.data).map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </SelectField>
    )
  if (kind === 'Slider')
    return (
      <TextField
        {...common}
        label={
          <>
            {label}: <span className="figures">{String(value)}</span>
          </>
        }
        type="range"
        className="px-0"
        min={Number(props.min ?? props.minValue ?? 0)}
        max={Number(props.max ?? props.maxValue ?? 100)}
        step={Number(props.step ?? 1)}
        value={Number(value)}
        onChange={(event) => set(name, Number(event.target.value))}
      />
    )
  return (
    <TextField
      {...common}
      type={kind === 'DateTimeInput' ? 'datetime-local' : 'text'}
      placeholder={textOf(props.placeholder, surface.data)}
      value={String(value ?? '')}
      onChange={(event) => set(name, event.target.value)}
    />
  )
}

const Press = ({ component: { id, props } }: { component: Component }) => {
  const { surface, send, busy } = useFilled()
  const inner = childrenOf(props)
    .map((child) => surface.components.get(child))
    .map((child) => textOf(child?.props.text, surface.data))
    .join(' ')
  const label = textOf(props.label ?? props.text, surface.data) || inner || 'Send'
  const { action } = props
  const sent = isRecord(action) ? action : { name: typeof action === 'string' ? action : id }
  return (
    <Button
      look={props.variant === 'secondary' ? 'plain' : 'primary'}
      className="self-start"
      busy={busy}
      disabled={send === null}
      onClick={() => send?.(sent)}
    >
      {label}
    </Button>
  )
}

const Panes = ({ component, depth }: { component: Component; depth: number }) => {
  const { surface } = useFilled()
  const given = Array.isArray(component.props.tabs) ? component.props.tabs.filter(isRecord) : []
  return (
    <div className="flex flex-col gap-2">
      {given.map((tab) => (
        <details key={String(tab.child)} className="rounded border p-2">
          <summary className="cursor-pointer font-medium">{textOf(tab.title ?? tab.label, surface.data)}</summary>
          <Part id={String(tab.child)} depth={depth + 1} />
        </details>
      ))}
      <Children of={component} depth={depth} />
    </div>
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
  Card: (component, depth) => (
    <div className={`${stack} rounded-lg border bg-surface p-3`}>
      <Children of={component} depth={depth} />
    </div>
  ),
  Tabs: (component, depth) => <Panes component={component} depth={depth} />,
  Text: (component) => <Text component={component} />,
  Button: (component) => <Press component={component} />,
  Divider: () => <hr />,
  Spacer: () => <div className="h-2" />,
  Badge: (component) => <Label component={component} />,
  Chart: (component) => <Figures component={component} />,
  Image: (component) => <Named component={component} />,
  Icon: () => null,
  Artifact: (component) => <Named component={component} />,
  ...Object.fromEntries(
    ['TextField', 'CheckBox', 'Slider', 'DateTimeInput', 'ChoicePicker'].map((kind) => [
      kind,
      (component: Component) => <Input component={component} />,
    ]),
  ),
}

const Label = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  return <Badge tone="accent">{textOf(props.text ?? props.label, surface.data)}</Badge>
}

const Figures = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  return <Bars given={boundValue(props.data ?? props.values, surface.data) ?? props.data} />
}

const Named = ({ component: { props, kind } }: { component: Component }) => {
  const { surface } = useFilled()
  const name = textOf(props.alt ?? props.title ?? props.url ?? props.ref, surface.data)
  return <code className="font-mono text-[12px] text-soft">{`${kind.toLowerCase()} ${name}`}</code>
}

/** Lists, forms, dialogs and whatever else only groups are laid out as columns. */
const Part = ({ id, depth }: { id: string; depth: number }) => {
  const { surface } = useFilled()
  const component = surface.components.get(id)
  // A component that contains itself would be drawn for ever.
  if (!component || depth > mostDeep) return null
  return (own(kinds, component.kind) ?? kinds.Column)?.(component, depth)
}

type WidgetProps = {
  invocation: ToolInvocation
  /** Who only reads the chat sees the surface, and what it holds stays as it is. */
  mayAnswer: boolean
}

const SurfaceView = ({ invocation, mayAnswer, surface }: WidgetProps & { surface: Surface }) => {
  const [values, setValues] = useState(() => firstValues(surface))
  const answer = useAct({
    work: (action: unknown) =>
      call('tools.answer', { path: { id: invocation.id }, body: { action, form_data: values } }),
    touches: ['inbox'],
  })
  const isOpen = mayAnswer && invocation.status === 'awaiting_input'
  return (
    <Context
      value={{
        surface,
        values,
        set: (name, value) => setValues((held) => ({ ...held, [name]: value })),
        send: isOpen ? (action) => answer.mutate(action) : null,
        busy: answer.isPending,
      }}
    >
      <Part id="root" depth={0} />
    </Context>
  )
}

/** HTML of a model stands in a frame that may do nothing: no scripts, no forms, no way out. */
export const Widget = ({ invocation, mayAnswer }: WidgetProps) => {
  const { widget } = invocation
  if (isRecord(widget) && typeof widget.html === 'string')
    return (
      <iframe
        title={typeof widget.title === 'string' ? widget.title : 'What the agent shows'}
        sandbox=""
        srcDoc={widget.html}
        className="h-80 w-full rounded-lg border bg-white"
      />
    )
  const surface = readSurface(widget)
  return surface ? <SurfaceView invocation={invocation} mayAnswer={mayAnswer} surface={surface} /> : null
}
