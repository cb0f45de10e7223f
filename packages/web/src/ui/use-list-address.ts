// Search text and filters of a list, written to the address when typing pauses.
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { present } from '../api/address-filters.ts'

const typingPauseMs = 250

/** Changes parts of the address of this page; undefined removes a part. */
export const useChangeAddress = () => {
  const navigate = useNavigate()
  return (part: Readonly<Record<string, string | undefined>>): Promise<void> =>
    navigate({ to: '.', search: (previous) => present({ ...previous, ...part }), replace: true, resetScroll: false })
}

/** The search text of the address, or the text being typed. */
export const useTerm = (q = ''): [term: string, setTerm: (term: string) => void] => {
  const change = useChangeAddress()
  const [typed, setTyped] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is updated only when typing has paused
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(async () => {
      await change({ q: typed === '' ? undefined : typed })
      // Unless more text was typed meanwhile.
      setTyped((previous) => (previous === typed ? null : previous))
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed ?? q, setTyped]
}
