// Where notices stand in the frame. No page needs them to be shown itself, so what shows them comes with the first touch, before
// anything can have been done that is told; a notice that comes sooner waits for it.
import { type ComponentType, useEffect, useState } from 'react'
import { onFirstNotice } from './notify.ts'

const touches = ['pointerdown', 'keydown'] as const

export const LazyNotices = () => {
  const [Shown, setShown] = useState<ComponentType>()
  useEffect(() => {
    // Where it cannot be fetched, the next notice tries again.
    const load = () =>
      void import('./notices.tsx').then(
        ({ Notices }) => setShown(() => Notices),
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
  return Shown ? <Shown /> : null
}
