// A value after it has been stable for a moment, so that searches wait until typing pauses.
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
