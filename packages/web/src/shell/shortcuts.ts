// Keys that work everywhere: `g` and a letter opens a page, `?` lists them, Ctrl-K or ⌘K opens the palette.
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { allPages } from './navigation.ts'

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const sequenceMs = 1200

export const useShortcuts = ({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }): void => {
  const router = useRouter()
  const wentAtMs = useRef(0)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') {
        onHelp()
        return
      }
      if (event.key === 'g') {
        wentAtMs.current = Date.now()
        return
      }
      if (Date.now() - wentAtMs.current > sequenceMs) return
      wentAtMs.current = 0
      const page = allPages(true).find(({ key }) => key === event.key)
      if (page) void router.navigate({ to: page.to })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [router, onPalette, onHelp])
}
