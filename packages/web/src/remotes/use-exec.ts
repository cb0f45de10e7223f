// One command on a remote, followed until it ends: its output is asked for again as long as it runs, each time from
// where the last answer stopped.
import type { ExecChunk, ExecRun } from '@millrace/contract/remotes'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'

const waitMs = 15_000
const mostShown = 200_000

export type Printed = { text: string; run: ExecRun | null; error: unknown }

const isOpen = ({ status }: ExecRun): boolean => status === 'pending' || status === 'running'

/** Bytes may be cut inside a character; each stream is read on from where it was. */
const createReader = () => {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  return ({ data, stream }: ExecChunk): string =>
    decoders[stream].decode(
      Uint8Array.from(atob(data), (character) => character.charCodeAt(0)),
      { stream: true },
    )
}

const follow = async (id: string, signal: AbortSignal, show: (text: string, run: ExecRun) => void): Promise<void> => {
  const textOf = createReader()
  let after = 0
  for (let ended = false; !ended && !signal.aborted; ) {
    const chunks = await call(
      'execs.output',
      { path: { id }, query: { after_seq: after, wait_ms: waitMs } },
      { signal },
    )
    const run = await call('execs.get', { path: { id } }, { signal })
    after = chunks.at(-1)?.seq ?? after
    show(chunks.map(textOf).join(''), run)
    ended = !isOpen(run) && run.last_seq <= after
  }
}

export const useExec = (id: string | null): Printed => {
  const [printed, setPrinted] = useState<Printed>({ text: '', run: null, error: null })
  useEffect(() => {
    setPrinted({ text: '', run: null, error: null })
    if (id === null) return
    const leave = new AbortController()
    const show = (text: string, run: ExecRun) =>
      setPrinted((held) => ({ text: (held.text + text).slice(-mostShown), run, error: null }))
    follow(id, leave.signal, show).catch((error: unknown) => {
      if (!leave.signal.aborted) setPrinted((held) => ({ ...held, error }))
    })
    return () => leave.abort()
  }, [id])
  return printed
}
