// The output of a command so far, as text.
import type { ExecRun } from '@millrace/contract/remotes'
import { useEffect, useState } from 'react'
import { followExec } from './follow-exec.ts'

const maxShown = 200_000

export type Printed = { text: string; run: ExecRun | null; error: unknown }

export const useExec = (id: string): Printed => {
  const [printed, setPrinted] = useState<Printed>({ text: '', run: null, error: null })
  useEffect(() => {
    setPrinted({ text: '', run: null, error: null })
    const leave = new AbortController()
    // A chunk can end inside a character, so each stream keeps its own decoder.
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
    followExec(
      id,
      {
        onRun: (run) => setPrinted((previous) => ({ ...previous, run })),
        onBytes: (bytes, from) => {
          const text = decoders[from].decode(bytes, { stream: true })
          setPrinted((previous) => ({ ...previous, text: (previous.text + text).slice(-maxShown) }))
        },
      },
      leave.signal,
    ).catch((error: unknown) => {
      if (!leave.signal.aborted) setPrinted((previous) => ({ ...previous, error }))
    })
    return () => leave.abort()
  }, [id])
  return printed
}
