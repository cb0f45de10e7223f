// What every part of a surface knows: the surface, what is filled in so far, and the way to send it.
import { createContext, useContext } from 'react'
import type { Surface } from './surface.ts'

export type Filled = {
  surface: Surface
  values: Record<string, unknown>
  set: (name: string, value: unknown) => void
  /** Null where nothing can be answered any more, or not by this reader. */
  send: ((action: unknown) => void) | null
  busy: boolean
}

export const WidgetContext = createContext<Filled | null>(null)

export const useFilled = (): Filled => {
  const filled = useContext(WidgetContext)
  if (!filled) throw new Error('A part of a surface stands outside of one')
  return filled
}
