// Renders the notices. Loaded at the first interaction or notice; see `notify.ts`.
import { useEffect } from 'react'
import { Toaster, toast } from 'sonner'
import { useIsDark } from '../shell/theme.ts'
import { showNoticesBy } from './notify.ts'

export const Notices = () => {
  const dark = useIsDark()
  // After the effects of the children, which subscribe first.
  useEffect(() => showNoticesBy(({ kind, words, ...options }) => toast[kind](words, options)), [])
  return <Toaster theme={dark ? 'dark' : 'light'} position="top-center" closeButton style={{ fontFamily: 'inherit' }} />
}
