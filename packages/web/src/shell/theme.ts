// The theme: the system's or the chosen one. `public/theme.js` applies it before the first paint.
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const key = 'millrace.theme'
const darkSystem = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark'

export const chosenTheme = (): Theme => {
  const text = localStorage.getItem(key)
  return isTheme(text) ? text : 'system'
}

export const isDark = (): boolean => {
  const theme = chosenTheme()
  return theme === 'system' ? darkSystem.matches : theme === 'dark'
}

const apply = (): void => {
  document.documentElement.classList.toggle('dark', isDark())
  for (const listener of listeners) listener()
}

export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  apply()
}

darkSystem.addEventListener('change', apply)

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosenTheme)
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, isDark)
