// Says that the browser has no connection, above every page.
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { strings } from './strings.ts'

const subscribe = (listener: () => void): (() => void) => {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

export const Offline = () => {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  if (isOnline) return null
  return (
    <p role="status" className="flex items-center gap-2 border-b bg-warn-soft px-4 py-1.5 text-warn">
      <WifiOff className="size-4 shrink-0" aria-hidden />
      {strings.offline}
    </p>
  )
}
