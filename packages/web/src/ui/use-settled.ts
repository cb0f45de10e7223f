// A value once it has not been changed for a moment: what is typed is asked about when the typing pauses.
import { useEffect, useState } from 'react'

const typingPauseMs = 300

export const useSettled = <T>(value: T): T => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingPauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
