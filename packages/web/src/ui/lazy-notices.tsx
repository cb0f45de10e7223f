// The place of notices in the frame. They are loaded at the first interaction, before any action can cause one; an
// earlier notice waits.
import { type ComponentType, useEffect, useState } from 'react'
import { onFirstNotice } from './notify.ts'

const touches = ['pointerdown', 'keydown'] as const

export const LazyNotices = () => {
  const [Renderer, setRenderer] = useState<ComponentType>()
  useEffect(() => {
    // If loading fails, the next notice retries.
    const load = () =>
      void import('./notices.tsx').then(
        ({ Notices }) => setRenderer(() => Notices),
        () => undefined,
      )
    const once = new AbortController()
    for (const touch of touches) addEventListener(touch, load, { once: true, signal: once.signal, capture: true })
    const forget = onFirstNotice(load)
    return () => {
      once.abort()
      forget()
    }
  }, [])
  return Renderer ? <Renderer /> : null
}
