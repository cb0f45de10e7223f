// Surfaces that an agent shows. Validates only the structure; the viewer renders the components. Pure.
import { isRecord } from '@millrace/contract/json'

const kinds: ReadonlySet<string> = new Set([
  ...['Row', 'Column', 'List', 'Text', 'Image', 'Icon', 'Divider', 'Button', 'TextField', 'CheckBox', 'Slider'],
  ...['DateTimeInput', 'ChoicePicker', 'Card', 'Modal', 'Tabs', 'Badge', 'Spacer', 'Chart', 'Form', 'Artifact'],
])
const interactive: ReadonlySet<string> = new Set([
  ...['Button', 'TextField', 'CheckBox', 'Slider', 'DateTimeInput', 'ChoicePicker', 'Form'],
])

/** The kind is in `component`: a name, or an object with one member of that name. */
const kindOf = (component: Record<string, unknown>): string | undefined => {
  const named = component.component ?? component.type
  if (typeof named === 'string') return named
  return isRecord(named) ? Object.keys(named)[0] : undefined
}

export type ReadSurface = { fault: string } | { surface: Record<string, unknown>; isInteractive: boolean }

export const readSurface = (given: Record<string, unknown>): ReadSurface => {
  const components = Array.isArray(given.components) ? given.components : []
  const ids = new Set<string>()
  let isInteractive = false
  for (const [index, component] of components.entries()) {
    if (!isRecord(component)) return { fault: `components.${index} must be an object` }
    if (typeof component.id !== 'string' || component.id === '') return { fault: `components.${index}.id is required` }
    if (ids.has(component.id)) return { fault: `components.${index}.id is a duplicate: ${component.id}` }
    ids.add(component.id)
    const kind = kindOf(component)
    if (kind === undefined || !kinds.has(kind))
      return { fault: `components.${index} must be one of ${[...kinds].join(', ')}` }
    isInteractive ||= interactive.has(kind)
  }
  if (!ids.has('root')) return { fault: 'one component must have the id root' }
  const surface = {
    version: given.version ?? '1',
    surfaceId: given.surfaceId ?? 'main',
    catalogId: given.catalogId ?? 'standard',
    components,
    ...(isRecord(given.dataModel) && { dataModel: given.dataModel }),
  }
  return { surface, isInteractive }
}
