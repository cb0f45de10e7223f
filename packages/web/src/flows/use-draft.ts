// A value that is edited here and saved when its field is left, also when the field disappears while it has the focus. A change
// of another editor replaces the draft only while nothing is unsaved.
import { useEffect, useRef, useState } from 'react'
import { isSameValue, rebased } from './draft.ts'

export const useDraft = <T>(stored: T, save: (draft: T) => void) => {
  const [state, setState] = useState({ stored, draft: stored })
  const current = rebased(state, stored)
  if (current !== state) setState(current)
  const isChanged = !isSameValue(current.draft, current.stored)
  const saved = useRef(stored)
  /** Saves the draft once; leaving a field twice does not save it again. */
  const flush = () => {
    if (!isChanged || isSameValue(saved.current, current.draft)) return
    saved.current = current.draft
    save(current.draft)
  }
  const latest = useRef(flush)
  useEffect(() => {
    latest.current = flush
  })
  useEffect(() => () => latest.current(), [])
  return {
    draft: current.draft,
    setDraft: (draft: T) => setState({ stored: current.stored, draft }),
    isChanged,
    flush,
    /** Saves the draft even if it was sent before, for example after a rejected change. */
    save: () => {
      saved.current = current.draft
      save(current.draft)
    },
  }
}
