// Hash of a version's texts: equal for equal texts under equal paths, regardless of other fields. Pure.
import { createHash } from 'node:crypto'

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

type HashedFile = { path: string; hash: string }

const byPathBytes = (a: HashedFile, b: HashedFile): number => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

/** SHA-256 over lines of path, NUL and content hash: the main content first, the rest in the byte order of their paths. */
export const contentHash = (main: HashedFile, rest: readonly HashedFile[]): string =>
  sha256Hex([main, ...[...rest].sort(byPathBytes)].map(({ path, hash }) => `${path}\0${hash}`).join('\n'))
