// Maps keys to file paths. Pure. One flat file per key in one of 256 shards: names are unique on file systems that fold
// case or normalize Unicode, and decode back to their key.
import { createHash } from 'node:crypto'
import { isBlobKey } from './keys.ts'

export const shardOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 2)

export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** `/` becomes `,` and a capital becomes `+` with its small letter; neither character is valid in a key. */
export const fileNameOf = (key: string): string =>
  key.replaceAll('/', ',').replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`)

/** Null for a file that is not a blob. */
export const keyOfFileName = (name: string): string | null => {
  const key = name.replaceAll(',', '/').replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return isBlobKey(key) && fileNameOf(key) === name ? key : null
}

/** The writer of a temporary file, to detect after a crash that the file is abandoned. */
export type TempOwner = { host: string; pid: number; boot: string }

const hostLabel = (host: string): string =>
  host
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 63) || 'host'

export const tempName = (owner: TempOwner, upload: string): string =>
  [hostLabel(owner.host), owner.pid, owner.boot, upload].join('.')

export type TempFileState = 'ours' | 'abandoned' | 'unknown'

/**
 * `unknown`: a file of another machine, of a running process, or with another name; only its age decides. Our own
 * process id with another boot id belongs to an earlier process (in a container the id is always 1).
 */
export const classifyTempFile = (name: string, us: TempOwner, isAlive: (pid: number) => boolean): TempFileState => {
  const [host, pidText, boot, upload, ...rest] = name.split('.')
  const pid = Number(pidText)
  if (!boot || !upload || rest.length > 0 || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown'
  if (host !== hostLabel(us.host)) return 'unknown'
  if (pid === us.pid) return boot === us.boot ? 'ours' : 'abandoned'
  return isAlive(pid) ? 'unknown' : 'abandoned'
}
