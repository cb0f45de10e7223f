// The environment of a command: terminal, variables and clock. Created once in cli.ts; nothing else reads them.
import { utf8Of } from './files/utf8.ts'

export type Shell = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly stdin: NodeJS.ReadableStream
  /** Whether both stdin and stderr are a terminal. */
  readonly interactive: boolean
  /** The width of stderr if its lines can be overwritten, otherwise null. */
  readonly columns: number | null
  /** The width of stdout if it is a terminal; null for a pipe or a file. */
  readonly outColumns: number | null
  /** Whether the output can contain colors. */
  readonly colors: boolean
  /** Writes to stdout. */
  out(text: string): void
  /** Writes to stderr. */
  err(text: string): void
  /** Writes unchanged bytes of other programs; resolves when there is room for more. */
  write(stream: 'out' | 'err', data: Uint8Array): Promise<void>
  /** The terminal, if both stdin and stdout are one. */
  readonly terminal: Terminal | null
  now(): Date
  /** Opens an address in the browser if possible. */
  openUrl(url: string): void
  /** Handles Ctrl-C instead of exiting; returns a function that restores the default. */
  onInterrupt(act: () => void): () => void
  exit(code: number): void
}

export type Terminal = {
  size(): { cols: number; rows: number }
  /** Sends every key, including Ctrl-C, to the reader of stdin; returns a function that restores the terminal. */
  raw(): () => void
  onResize(act: () => void): () => void
}

/** Quotes a word for a shell if necessary. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const readBytes = async (stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

export const readAll = async (stream: NodeJS.ReadableStream): Promise<string> =>
  utf8Of(await readBytes(stream), 'The input on stdin')
