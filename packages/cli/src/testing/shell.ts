// A shell that records output, with its own home folder.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Shell } from '../shell.ts'

export type TestShell = Shell & { readonly output: { out: string; err: string }; readonly opened: string[] }

export const createShell = async (changes: Partial<Shell> = {}): Promise<TestShell> => {
  const output = { out: '', err: '' }
  const opened: string[] = []
  const home = await mkdtemp(join(tmpdir(), 'millrace-cli-'))
  return {
    env: {},
    cwd: home,
    home,
    platform: 'linux',
    stdin: Readable.from([]),
    interactive: false,
    columns: null,
    outColumns: null,
    colors: false,
    out: (text) => {
      output.out += text
    },
    err: (text) => {
      output.err += text
    },
    write: async (stream, data) => {
      output[stream] += Buffer.from(data).toString()
    },
    terminal: null,
    now: () => new Date(),
    openUrl: (url) => void opened.push(url),
    onInterrupt: () => () => {},
    exit: () => {},
    ...changes,
    output,
    opened,
  }
}
