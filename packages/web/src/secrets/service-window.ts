// The window in which a person signs in to a service. Its last page runs no scripts, so that its policy stays strict;
// the opener detects that page, closes the window and refetches.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refresh } from '../api/refresh.ts'

const pollMs = 300

/** A refusal must be read, so only success closes the window. Pages of the service itself cannot be inspected. */
const hasConnected = ({ document }: Pick<Window, 'document'>): boolean => document.getElementById('connected') !== null

const closeWhenConnected = (opened: Window): void => {
  try {
    if (hasConnected(opened)) opened.close()
  } catch {
    // Still at the service.
  }
}

/** False when the browser blocked the window. */
export const openServiceWindow = (address: string, onClosed: () => void): boolean => {
  const opened = window.open(address, 'millrace-connect', 'popup,width=560,height=720')
  if (!opened) return false
  const timer = setInterval(() => {
    closeWhenConnected(opened)
    if (!opened.closed) return
    clearInterval(timer)
    onClosed()
  }, pollMs)
  return true
}

/** For services that detach their window: refetches when the person returns. */
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
