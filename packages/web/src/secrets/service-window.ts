// The window in which a person signs in at a service. The page it ends on runs no script, so that its policy stays the
// strictest; whoever opened the window looks for that page, closes it and knows that there is news.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refresh } from '../api/refresh.ts'

const lookEveryMs = 300

/** A refusal has to be read, so only success closes the window. Pages of the service itself cannot be looked into. */
const hasConnected = ({ document }: Pick<Window, 'document'>): boolean => document.getElementById('connected') !== null

const closeWhenConnected = (opened: Window): void => {
  try {
    if (hasConnected(opened)) opened.close()
  } catch {
    // Still at the service.
  }
}

/** False when the browser held the window back. */
export const openServiceWindow = (address: string, onClosed: () => void): boolean => {
  const opened = window.open(address, 'millrace-connect', 'popup,width=560,height=720')
  if (!opened) return false
  const looking = setInterval(() => {
    closeWhenConnected(opened)
    if (!opened.closed) return
    clearInterval(looking)
    onClosed()
  }, lookEveryMs)
  return true
}

/** Services that cut their window off from its opener leave it to the person to close it and come back. */
export const useRefreshOnReturn = (touches: readonly string[]): void => {
  const client = useQueryClient()
  const watched = touches.join(' ')
  useEffect(() => {
    const onFocus = () => {
      for (const resource of watched.split(' ')) void refresh(client, { queryKey: [resource] })
    }
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [client, watched])
}
