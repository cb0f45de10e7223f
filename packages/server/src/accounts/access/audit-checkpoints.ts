// Witnesses of the audit log outside the database: now and then the newest row's number and hash are signed and written to a
// file. Whoever can rewrite the whole table, chain and head included, cannot make it agree with what the file has seen.
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Platform } from '#platform/core/ctx.ts'
import type { Keyring } from '#platform/keyring/keyring.ts'
import { findAuditHead } from '#platform/tenancy/audit.ts'

export type Checkpoint = { seq: number; hash: string; at: string; signature: string }

export const checkpointsFile = (dataDir: string): string => join(dataDir, 'audit-checkpoints.jsonl')

/** Half of what is promised, so that a slow moment does not break the promise. */
const intervalMs = 30_000
const sendTimeoutMs = 10_000
/** Each witness vouches for all rows before it: old ones may go. */
const keptLines = 10_000
const mostLines = 20_000

export const textOf = ({ seq, hash, at }: Omit<Checkpoint, 'signature'>): string =>
  `audit-checkpoint\n${seq}\n${hash}\n${at}`

/** A line that a crash cut short was never a witness; `null` is a whole line that is none. */
export const readCheckpoints = async (path: string): Promise<(Checkpoint | null)[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').slice(0, -1).map(parseLine)
}

const parseLine = (line: string): Checkpoint | null => {
  try {
    const { seq, hash, at, signature } = JSON.parse(line) as Record<string, unknown>
    const whole = Number.isInteger(seq) && [hash, at, signature].every((value) => typeof value === 'string')
    return whole ? ({ seq, hash, at, signature } as Checkpoint) : null
  } catch {
    return null
  }
}

/** Writes a witness when rows were added since the last one, or when that was signed with a key no longer in use. */
export const writeCheckpoint = async (
  { db, keyring, now }: Pick<Platform, 'db' | 'keyring' | 'now'>,
  path: string,
  last: Checkpoint | undefined,
): Promise<Checkpoint | undefined> => {
  const head = await findAuditHead(db)
  if (!head || head.seq === 0) return last
  if (last?.seq === head.seq && keyring.isCurrent(last.signature)) return last
  const seen = { seq: head.seq, hash: head.hash, at: now().toISOString() }
  const checkpoint = { ...seen, signature: keyring.sign(textOf(seen)) }
  const file = await open(path, 'a', 0o600)
  try {
    await file.write(`${JSON.stringify(checkpoint)}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
  return checkpoint
}

const prune = async (path: string): Promise<void> => {
  const lines = (await readCheckpoints(path)).filter((line) => line !== null)
  if (lines.length <= mostLines) return
  const kept = lines.slice(-keptLines).map((line) => `${JSON.stringify(line)}\n`)
  await writeFile(`${path}.new`, kept.join(''), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Runs beside the server; what it returns writes the last witness. */
export const keepCheckpoints = async (platform: Platform): Promise<() => Promise<void>> => {
  const { settings, log } = platform
  const path = checkpointsFile(settings.DATA_DIR)
  await prune(path)
  let last = (await readCheckpoints(path)).findLast((line) => line !== null)

  const witness = async (): Promise<void> => {
    try {
      const before = last
      last = await writeCheckpoint(platform, path, last)
      if (last && last !== before && settings.AUDIT_CHECKPOINT_URL) await send(settings.AUDIT_CHECKPOINT_URL, last)
    } catch (error) {
      log.warn({ err: error }, 'the witness of the audit log could not be written; it is tried again')
    }
  }
  let underway = Promise.resolve()
  const timer = setInterval(() => {
    underway = underway.then(witness)
  }, intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await underway.then(witness)
  }
}

/** The operator's own address, so that it may be a private one. */
const send = async (url: string, checkpoint: Checkpoint): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(checkpoint),
    signal: AbortSignal.timeout(sendTimeoutMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`AUDIT_CHECKPOINT_URL answered ${response.status}`)
}

/** The witnesses that must be believed; the first that cannot be is named instead. */
export const believable = (
  lines: readonly (Checkpoint | null)[],
  keyring: Keyring,
): Checkpoint[] | { forgedLine: number } => {
  const believed: Checkpoint[] = []
  for (const [index, line] of lines.entries()) {
    const verdict = line && keyring.verify(textOf(line), line.signature)
    if (verdict === 'forged' || verdict === null) return { forgedLine: index + 1 }
    // Signed with a master key that has been rotated away: a later witness vouches for the same rows.
    if (verdict === 'signed' && line) believed.push(line)
  }
  return believed
}
