// What surrounds a command: terminal, environment, clock. Made once in main.mjs and handed down; nothing else reads them.
import { utf8Of } from './files/utf8.ts'

export type Shell = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly stdin: NodeJS.ReadableStream
  /** A person sits in front of it: both ends are a terminal. */
  readonly interactive: boolean
  /** Whether a line on stderr can be drawn over; how wide it is. */
  readonly columns: number | null
  /** The width of stdout where it is a terminal; null in a pipe or a file. */
  readonly outColumns: number | null
  /** Whether the answer may hold colours. */
  readonly colours: boolean
  /** For the answer. */
  out(text: string): void
  /** For everything said on the way. */
  err(text: string): void
  /** Bytes as they are, for what other programs printed; resolves once there is room for more. */
  write(stream: 'out' | 'err', data: Uint8Array): Promise<void>
  /** The person's terminal, where both stdin and stdout are one. */
  readonly terminal: Terminal | null
  now(): Date
  /** Shows an address in the person's browser, if it can. */
  openUrl(url: string): void
  /** Ctrl-C, in place of ending at once; returns what takes it back. */
  onInterrupt(act: () => void): () => void
  exit(code: number): void
}

export type Terminal = {
  size(): { cols: number; rows: number }
  /** Every key goes to the reader of stdin, Ctrl-C too; returns what takes it back. */
  raw(): () => void
  onResize(act: () => void): () => void
}

/** A word as it has to be typed. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const readBytes = async (stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

export const readAll = async (stream: NodeJS.ReadableStream): Promise<string> =>
  utf8Of(await readBytes(stream), 'What came on stdin')
