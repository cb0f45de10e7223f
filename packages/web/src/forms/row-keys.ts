// Stable keys for the rows of a list that its parent holds as values without IDs.
import { useRef, useState } from 'react'

export type RowKeys = { keys: readonly number[]; next: number }

/** One key per row: rows that were added at the end get new keys, rows that were dropped at the end lose theirs. Pure. */
export const fitKeys = ({ keys, next }: RowKeys, length: number): RowKeys => {
  const added = Array.from({ length: Math.max(0, length - keys.length) }, (_, index) => next + index)
  return { keys: [...keys.slice(0, length), ...added], next: next + added.length }
}

/** `removeKey` is called together with the removal of the row, so that the rows after it keep their keys. */
export const useRowKeys = (length: number) => {
  const state = useRef<RowKeys>({ keys: [], next: 0 })
  const [, setRemovals] = useState(0)
  state.current = fitKeys(state.current, length)
  const removeKey = (index: number) => {
    state.current = { ...state.current, keys: state.current.keys.filter((_, at) => at !== index) }
    setRemovals((count) => count + 1)
  }
  return { keys: state.current.keys, removeKey }
}
