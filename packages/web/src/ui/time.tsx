// Times for people: relative in the text, exact on hover. All shown times tick together, once a minute or second.
import { useSyncExternalStore } from 'react'
import { dateTimeText, durationText, relativeText } from './time-text.ts'

const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  if (timer === undefined) nowMs = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    nowMs = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, updated every second while it is shown. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs)

export const Ago = ({ time }: { time: string | null | undefined }) => {
  const now = useNow()
  if (!time) return <span className="text-faint">–</span>
  return (
    <time dateTime={time} title={dateTimeText(time)} className="figures whitespace-nowrap">
      {relativeText(Date.parse(time), now)}
    </time>
  )
}

/** The duration of something, up to now if it has not ended. */
export const Took = ({ from, to }: { from: string; to: string | undefined }) => {
  const now = useNow()
  const ms = (to === undefined ? now : Date.parse(to)) - Date.parse(from)
  return <span className="figures whitespace-nowrap">{durationText(Math.max(0, ms))}</span>
}
