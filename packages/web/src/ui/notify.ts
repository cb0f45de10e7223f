// Notices at the edge of the screen, queued until their renderer is loaded.
import type { Notice } from '@millrace/contract/common'
import { createElement, type ReactNode } from 'react'
import { Problem } from '../api/problem.ts'
import { ProblemWords } from './problem-trail.tsx'

export type ScreenNotice = {
  kind: 'success' | 'error' | 'warning' | 'message'
  words: string
  /** A notice with the same id replaces the existing one. */
  id?: string
  description?: ReactNode
  duration?: number
}

type Show = (notice: ScreenNotice) => void

const waiting: ScreenNotice[] = []
let show: Show | undefined
let load: (() => void) | undefined

/** Shows the queued notices and all later ones. */
export const showNoticesBy = (next: Show): (() => void) => {
  show = next
  for (const notice of waiting.splice(0)) next(notice)
  return () => {
    show = undefined
  }
}

/** Called for the first notice before the renderer is loaded. */
export const onFirstNotice = (next: () => void): (() => void) => {
  load = next
  if (waiting.length > 0) next()
  return () => {
    load = undefined
  }
}

export const showNotice = (notice: ScreenNotice): void => {
  if (show) {
    show(notice)
    return
  }
  waiting.push(notice)
  load?.()
}

export const notify = (words: string): void => showNotice({ kind: 'success', words })

/** A refusal stays longer, because people read and copy it. */
const readMs = 12_000

export const notifyProblem = (error: unknown): void => {
  const words = error instanceof Error ? error.message : String(error)
  showNotice(
    error instanceof Problem
      ? {
          kind: 'error',
          words: error.title,
          description: createElement(ProblemWords, { words, problem: error }),
          duration: readMs,
        }
      : { kind: 'error', words: 'Something went wrong', description: words, duration: readMs },
  )
}

/** Notices of the server for people; others are for programs. */
const shown = new Set(['no_engine', 'budget_exceeded'])

/** Repeated notices are shown once. */
export const showNotices = (notices: readonly Notice[]): void => {
  for (const { code, message } of notices)
    if (shown.has(code)) showNotice({ kind: 'warning', words: message, id: `${code} ${message}`, duration: 15_000 })
}
