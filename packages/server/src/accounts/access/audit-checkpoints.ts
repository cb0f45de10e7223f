// Checkpoints of the audit log outside the database: the number and hash of the newest row are signed and appended to a
// file at intervals. Even a complete rewrite of the table, chain and head included, cannot match the file.

import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Platform } from '#platform/core/ctx.ts'
import type { Keyring } from '#platform/keyring/keyring.ts'
import { findAuditHead } from '#platform/tenancy/audit.ts'

export type Checkpoint = { seq: number; hash: string; at: string; signature: string }

export const checkpointsFile = (dataDir: string): string => join(dataDir, 'audit-checkpoints.jsonl')

/** Half of the documented interval, so that a short delay does not exceed it. */
const intervalMs = 30_000
const sendTimeoutMs = 10_000
/** Each checkpoint covers all rows before it, so old ones can be deleted. */
const retainedLines = 10_000
const maxLines = 20_000

export const textOf = ({ seq, hash, at }: Omit<Checkpoint, 'signature'>): string =>
  `audit-checkpoint\n${seq}\n${hash}\n${at}`

/** A line cut short by a crash is ignored; `null` is a complete but invalid line. */
export const readCheckpoints = async (path: string): Promise<(Checkpoint | null)[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').slice(0, -1).map(parseLine)
}

const parseLine = (line: string): Checkpoint | null => {
  try {
    const { seq, hash, at, signature } = parseUntrustedJson(line) as Record<string, unknown>
    const isComplete = Number.isInteger(seq) && [hash, at, signature].every((value) => typeof value === 'string')
    return isComplete ? ({ seq, hash, at, signature } as Checkpoint) : null
  } catch {
    return null
  }
}

/** Writes a checkpoint when rows were added since the last one, or when the last one was signed with a retired key. */
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
  if (lines.length <= maxLines) return
  const retained = lines.slice(-retainedLines).map((line) => `${JSON.stringify(line)}\n`)
  await writeFile(`${path}.new`, retained.join(''), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Runs with the server; the returned function writes the last checkpoint. */
export const startCheckpoints = async (platform: Platform): Promise<() => Promise<void>> => {
  const { settings, log } = platform
  const path = checkpointsFile(settings.DATA_DIR)
  await prune(path)
  let last = (await readCheckpoints(path)).findLast((line) => line !== null)

  const record = async (): Promise<void> => {
    try {
      const before = last
      last = await writeCheckpoint(platform, path, last)
      if (last && last !== before && settings.AUDIT_CHECKPOINT_URL) await send(settings.AUDIT_CHECKPOINT_URL, last)
    } catch (error) {
      log.warn({ err: error }, 'the audit log checkpoint could not be written; retrying')
    }
  }
  let underway = Promise.resolve()
  const timer = setInterval(() => {
    underway = underway.then(record)
  }, intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await underway.then(record)
  }
}

/** The address is the operator's own, so private addresses are allowed. */
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

/** The valid checkpoints, or the first invalid one. */
export const verifiedCheckpoints = (
  lines: readonly (Checkpoint | null)[],
  keyring: Keyring,
): Checkpoint[] | { forgedLine: number } => {
  const verified: Checkpoint[] = []
  for (const [index, line] of lines.entries()) {
    const verdict = line && keyring.verify(textOf(line), line.signature)
    if (verdict === 'forged' || verdict === null) return { forgedLine: index + 1 }
    // Signed with a retired master key; a later checkpoint covers the same rows.
    if (verdict === 'signed' && line) verified.push(line)
  }
  return verified
}
