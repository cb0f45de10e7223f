// A lazily loaded menu: the frame of every page has two, and few visits use one.
import { cloneElement, lazy, Suspense, useState } from 'react'
import type { MenuProps } from './menu.tsx'

const load = () => import('./menu.tsx')
const Menu = lazy(() => load().then((module) => ({ default: module.Menu })))

export const LazyMenu = (props: MenuProps) => {
  const [wanted, setWanted] = useState(false)
  const trigger = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setWanted(true),
  })
  if (!wanted) return trigger
  return (
    <Suspense fallback={trigger}>
      <Menu {...props} defaultOpen />
    </Suspense>
  )
}
