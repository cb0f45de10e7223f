// What shows the notices. Loaded by the first touch of the page, or by the first notice: see `notify.ts`.
import { useEffect } from 'react'
import { Toaster, toast } from 'sonner'
import { useIsDark } from '../shell/theme.ts'
import { showNoticesBy } from './notify.ts'

export const Notices = () => {
  const dark = useIsDark()
  // After the effects of what is inside: by then it listens.
  useEffect(() => showNoticesBy(({ kind, words, ...options }) => toast[kind](words, options)), [])
  return <Toaster theme={dark ? 'dark' : 'light'} position="top-center" closeButton style={{ fontFamily: 'inherit' }} />
}
