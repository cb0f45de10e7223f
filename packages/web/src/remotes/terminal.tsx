// The terminal of a command: live output, typed input and the window size. An ended command is replayed. Loaded when
// the first terminal opens.
import '@xterm/xterm/css/xterm.css'
import type { ExecRun } from '@millrace/contract/remotes'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal as Screen } from '@xterm/xterm'
import { useEffect, useRef } from 'react'
import { call } from '../api/call.ts'
import { useIsDark } from '../shell/theme.ts'
import { followExec, isOpenExec } from './follow-exec.ts'
import { createTyping } from './typing.ts'

const settleMs = 150

const themeNow = () => {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  return {
    background: color('--canvas'),
    foreground: color('--ink'),
    cursor: color('--ink'),
    cursorAccent: color('--canvas'),
    selectionBackground: color('--accent-soft'),
    selectionForeground: color('--ink'),
  }
}

/** Sends the window size once it has stopped changing. */
const createResizer = (id: string, fit: FitAddon, isOpen: () => boolean) => {
  let sentSize = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const sendSize = (): void => {
    fit.fit()
    const size = fit.proposeDimensions()
    if (!size || !isOpen() || sentSize === `${size.cols}×${size.rows}`) return
    sentSize = `${size.cols}×${size.rows}`
    // A command that has just ended has no window.
    call('execs.resize', { path: { id }, body: { cols: size.cols, rows: size.rows } }).catch(() => {})
  }
  return {
    sendSize,
    changed: () => {
      clearTimeout(timer)
      timer = setTimeout(sendSize, settleMs)
    },
    stop: () => clearTimeout(timer),
  }
}

export type TerminalProps = {
  id: string
  onRun: (run: ExecRun) => void
  onError: (error: unknown) => void
  /** Called when the user leaves the terminal with its key. */
  onLeave: () => void
}

const Terminal = ({ id, onRun, onError, onLeave }: TerminalProps) => {
  const host = useRef<HTMLDivElement>(null)
  const screenRef = useRef<Screen | null>(null)
  const dark = useIsDark()
  const callbacks = useRef({ onRun, onError, onLeave })
  callbacks.current = { onRun, onError, onLeave }
  useEffect(() => {
    if (!host.current) return
    const leave = new AbortController()
    const fit = new FitAddon()
    const screen = new Screen({
      fontSize: 12,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
      scrollback: 5000,
      screenReaderMode: true,
      cursorBlink: false,
      theme: themeNow(),
      // Increases contrast: colors chosen for a dark background must be readable on a light one.
      minimumContrastRatio: 4.5,
    })
    screenRef.current = screen
    screen.loadAddon(fit)
    screen.open(host.current)
    let open = false
    const resizer = createResizer(id, fit, () => open)
    resizer.sendSize()
    const observer = new ResizeObserver(resizer.changed)
    observer.observe(host.current)
    const type = createTyping(
      (data) => call('execs.input', { path: { id }, body: { data } }),
      (error) => callbacks.current.onError(error),
    )
    screen.onData((text) => {
      if (open) type(text)
    })
    // All other keys go to the program in the terminal.
    screen.attachCustomKeyEventHandler(({ key, type: kind }) => {
      if (key !== 'F6') return true
      if (kind === 'keydown') callbacks.current.onLeave()
      return false
    })
    const watcher = {
      onRun: (run: ExecRun) => {
        const wasOpen = open
        open = isOpenExec(run.status)
        screen.options.disableStdin = !open
        screen.options.cursorInactiveStyle = open ? 'outline' : 'none'
        if (open && !wasOpen) resizer.sendSize()
        callbacks.current.onRun(run)
      },
      onBytes: (bytes: Uint8Array) => screen.write(bytes),
    }
    followExec(id, watcher, leave.signal).catch((error: unknown) => {
      if (!leave.signal.aborted) callbacks.current.onError(error)
    })
    screen.focus()
    return () => {
      leave.abort()
      observer.disconnect()
      resizer.stop()
      screen.dispose()
      screenRef.current = null
    }
  }, [id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are read again when the theme has changed
  useEffect(() => {
    if (screenRef.current) screenRef.current.options.theme = themeNow()
  }, [dark])
  return <div ref={host} className="h-[55vh] min-h-60 overflow-hidden" />
}

export default Terminal
