// Parses a widget of an agent: a flat list of components that reference their children. The input comes from a model and may
// have any shape. Pure.
import { isRecord, own } from '@millrace/contract/json'

export type Props = Readonly<Record<string, unknown>>
export type Component = { id: string; kind: string; props: Props }
export type Surface = { components: ReadonlyMap<string, Component>; data: Props }

/** `component` is the kind as a name, or an object with one member, whose name is the kind and whose value are the properties. */
const componentOf = (given: unknown): Component | null => {
  if (!isRecord(given) || typeof given.id !== 'string') return null
  const named = given.component ?? given.type
  if (typeof named === 'string') return { id: given.id, kind: named, props: given }
  if (!isRecord(named)) return null
  const [kind, inner] = Object.entries(named)[0] ?? []
  return kind === undefined ? null : { id: given.id, kind, props: { ...given, ...(isRecord(inner) ? inner : {}) } }
}

export const readSurface = (widget: unknown): Surface | null => {
  if (!isRecord(widget) || !Array.isArray(widget.components)) return null
  const components = widget.components.flatMap((given) => componentOf(given) ?? [])
  const data = isRecord(widget.dataModel) ? widget.dataModel : {}
  return { components: new Map(components.map((one) => [one.id, one])), data }
}

/** Resolves a path such as `/order/sacks` in the data of the surface. */
export const at = (data: unknown, path: string): unknown =>
  path
    .split('/')
    .filter((part) => part !== '')
    .reduce<unknown>((value, part) => (isRecord(value) ? own(value, part) : undefined), data)

/** A value is a literal, a wrapped literal, or a path into the data. */
export const boundValue = (given: unknown, data: Props): unknown => {
  if (!isRecord(given)) return given
  if (typeof given.path === 'string') return at(data, given.path) ?? literalOf(given)
  return literalOf(given)
}

const literalOf = (given: Props): unknown => {
  const literal = Object.entries(given).find(([key]) => key.startsWith('literal'))
  return literal?.[1]
}

export const textOf = (given: unknown, data: Props): string => {
  const value = boundValue(given, data)
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** The IDs of the children in every accepted form. */
export const childrenOf = ({ child, children, content, contentChild }: Props): string[] => {
  const given = children ?? child ?? content ?? contentChild
  const list = isRecord(given) ? given.explicitList : given
  if (typeof list === 'string') return [list]
  return Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string') : []
}

/** The name of a field in the submitted values: its name, the end of its path, or its ID. */
export const fieldName = ({ id, props }: Component): string => {
  if (typeof props.name === 'string' && props.name !== '') return props.name
  const bound = [props.value, props.text].find((one): one is { path: string } => isRecord(one) && 'path' in one)
  return bound ? (String(bound.path).split('/').at(-1) ?? id) : id
}

export type Option = { label: string; value: string }

export const optionsOf = ({ options }: Props, data: Props): Option[] =>
  (Array.isArray(options) ? options : []).map((option) => {
    if (!isRecord(option)) return { label: String(option), value: String(option) }
    const value = textOf(option.value, data) || textOf(option.label, data)
    return { label: textOf(option.label, data) || value, value }
  })

/** Whether several options can be chosen. */
export const isMultiple = ({ variant, maxAllowedSelections }: Props): boolean =>
  /multi/i.test(String(variant ?? '')) || (typeof maxAllowedSelections === 'number' && maxAllowedSelections > 1)

/** Tabs with unique titles, in both accepted spellings. */
export const tabsOf = ({ tabs, tabItems }: Props, data: Props): { title: string; child: string }[] =>
  [tabs, tabItems]
    .flatMap((given) => (Array.isArray(given) ? given : []))
    .filter(isRecord)
    .map(({ title, label, child, content }) => ({
      title: textOf(title ?? label, data),
      child: String(child ?? content ?? ''),
    }))
    .map(({ title, child }, index, all) => ({
      // The title identifies the tab.
      title:
        title !== '' && all.findIndex((each) => each.title === title) === index
          ? title
          : `${title} ${index + 1}`.trim(),
      child,
    }))

export type ArtifactRef = { text: string; id?: string; ref?: { namespace: string; name: string } }

/** The artifact that a component references by ID, by `namespace/name` or by URL. */
export const artifactRefOf = (props: Props, data: Props): ArtifactRef | null => {
  const given = props.artifactId ?? props.artifact_id ?? props.ref ?? props.artifact ?? props.url
  const text = textOf(given, data).trim()
  const id = /^(?:\S*\/artifacts\/)?([\w-]{8,64})(?:[/?#]\S*)?$/.exec(text)?.[1]
  if (id !== undefined) return { text, id }
  const [, namespace, name] = /^([\w.-]+)\/([\w.@-]+)$/.exec(text) ?? []
  if (namespace !== undefined && name !== undefined) return { text, ref: { namespace, name } }
  return text === '' ? null : { text }
}

const initialValue = ({ kind, props }: Component): unknown => {
  if (kind === 'CheckBox') return false
  if (kind === 'Slider') return props.min ?? props.minValue ?? 0
  return kind === 'ChoicePicker' && isMultiple(props) ? [] : ''
}

/** The initial values of all fields. */
export const initialValues = ({ components, data }: Surface): Record<string, unknown> => {
  const fields = new Set(['TextField', 'CheckBox', 'Slider', 'DateTimeInput', 'ChoicePicker'])
  const values: Record<string, unknown> = {}
  for (const component of components.values()) {
    if (!fields.has(component.kind)) continue
    const { props, kind } = component
    const given = boundValue(props.value ?? props.checked ?? (kind === 'TextField' ? props.text : undefined), data)
    values[fieldName(component)] = given ?? initialValue(component)
  }
  return values
}
