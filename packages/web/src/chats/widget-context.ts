// The context of a widget: its surface, its field values, and the function that submits them.
import { createContext, useContext } from 'react'
import type { Surface } from './surface.ts'

export type WidgetState = {
  surface: Surface
  values: Record<string, unknown>
  set: (name: string, value: unknown) => void
  /** Null if the widget is already answered or the reader may not answer it. */
  send: ((action: unknown) => void) | null
  busy: boolean
}

export const WidgetContext = createContext<WidgetState | null>(null)

export const useWidget = (): WidgetState => {
  const state = useContext(WidgetContext)
  if (!state) throw new Error('useWidget must be used inside of a widget')
  return state
}
