// The format of a backup file: a header line about its encryption, then encrypted frames. Each frame is bound to its
// number and to whether it is the last, so that changed, moved, missing or truncated frames are detected.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { MasterKey } from '#platform/keyring/key-file.ts'

export type Seal = { kind: 'passphrase'; passphrase: string } | { kind: 'master'; keys: readonly MasterKey[] }

export class BackupError extends Error {}

type Head = { millrace_backup: 1; sealed: Seal['kind']; salt: string; key_id?: string }

const frameBytes = 256 * 1024
const nonceBytes = 12
const tagBytes = 16
const maxSealedBytes = frameBytes + nonceBytes + tagBytes
const headBytesLimit = 1024

const derive = async (head: Head, seal: Seal): Promise<Buffer> => {
  const salt = Buffer.from(head.salt, 'base64')
  if (head.sealed === 'passphrase') {
    if (seal.kind !== 'passphrase')
      throw new BackupError('This backup needs a passphrase; pass its file with --passphrase-file')
    const stretched = promisify<string, Buffer, number, object, Buffer>(scrypt)
    return stretched(seal.passphrase, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 128 * 1024 * 1024 })
  }
  const master = seal.kind === 'master' ? seal.keys.find(({ id }) => id === head.key_id) : undefined
  if (!master)
    throw new BackupError(
      `This backup needs the master key ${head.key_id}; set MASTER_KEY to it, or restore it as master.key`,
    )
  return Buffer.from(hkdfSync('sha256', master.key, salt, 'millrace backup v1', 32))
}

const binding = (number: number, isLast: boolean): Buffer => Buffer.from(`${number} ${isLast ? 'last' : 'more'}`)

const sealFrame = (key: Buffer, plain: Buffer, bound: Buffer): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(sealed.length)
  return Buffer.concat([length, sealed])
}

const openFrame = (key: Buffer, sealed: Buffer, bound: Buffer): Buffer | null => {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes)).setAAD(bound)
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
  } catch {
    return null
  }
}

export async function* sealBytes(plain: AsyncIterable<Buffer>, seal: Seal): AsyncGenerator<Buffer> {
  const [master] = seal.kind === 'master' ? seal.keys : []
  const salt = randomBytes(16).toString('base64')
  const head: Head = { millrace_backup: 1, sealed: seal.kind, salt, ...(master && { key_id: master.id }) }
  const key = await derive(head, seal)
  yield Buffer.from(`${JSON.stringify(head)}\n`)
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let number = 0
  for await (const chunk of plain) {
    waiting.push(chunk)
    waitingBytes += chunk.length
    while (waitingBytes >= frameBytes) {
      const all = Buffer.concat(waiting)
      yield sealFrame(key, all.subarray(0, frameBytes), binding(number, false))
      number += 1
      waiting = [all.subarray(frameBytes)]
      waitingBytes -= frameBytes
    }
  }
  yield sealFrame(key, Buffer.concat(waiting), binding(number, true))
}

/** Reads an exact number of bytes from a stream of chunks. Null at a clean end. */
export const createTaker = (source: AsyncIterable<Buffer>) => {
  const chunks = source[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)
  /** At least `count` bytes unless the source ends. Joined once, because joining after every chunk is quadratic. */
  const fill = async (count: number): Promise<boolean> => {
    const parts = [buffered]
    let bytes = buffered.length
    while (bytes < count) {
      const { done, value } = await chunks.next()
      if (done) break
      parts.push(value)
      bytes += value.length
    }
    const hasMore = parts.length > 1
    buffered = hasMore ? Buffer.concat(parts) : buffered
    return hasMore
  }
  return {
    bytes: async (count: number): Promise<Buffer | null> => {
      if (buffered.length < count) await fill(count)
      if (buffered.length < count) return buffered.length === 0 ? null : cutOff()
      const taken = buffered.subarray(0, count)
      buffered = buffered.subarray(count)
      return taken
    },
    line: async (limit: number): Promise<string | null> => {
      for (;;) {
        const end = buffered.indexOf(10)
        if (end >= 0) {
          const line = buffered.subarray(0, end).toString()
          buffered = buffered.subarray(end + 1)
          return line
        }
        if (buffered.length > limit) throw new BackupError('This is not a Millrace backup')
        if (!(await fill(buffered.length + 1))) return buffered.length === 0 ? null : cutOff()
      }
    },
  }
}

const cutOff = (): never => {
  throw new BackupError('The backup is truncated: the end of the file is missing')
}

const undecryptable = (number: number): BackupError =>
  new BackupError(
    number === 0
      ? 'The backup cannot be decrypted: wrong passphrase or key, or a damaged file'
      : `The backup is damaged in its frame ${number}`,
  )

export async function* openBytes(sealed: AsyncIterable<Buffer>, seal: Seal): AsyncGenerator<Buffer> {
  const take = createTaker(sealed)
  const head = readHead(await take.line(headBytesLimit))
  const key = await derive(head, seal)
  for (let number = 0; ; number += 1) {
    const length = await take.bytes(4)
    if (!length) return cutOff()
    const count = length.readUInt32BE()
    // Checked before the bytes are read: a length is not protected by the encryption.
    if (count > maxSealedBytes) throw undecryptable(number)
    const frame = await take.bytes(count)
    if (!frame) return cutOff()
    const more = openFrame(key, frame, binding(number, false))
    const last = more ? null : openFrame(key, frame, binding(number, true))
    if (!more && !last) throw undecryptable(number)
    yield more ?? last ?? Buffer.alloc(0)
    if (last) {
      if (await take.bytes(1)) throw new BackupError('The backup has data after its end')
      return
    }
  }
}

const readHead = (line: string | null): Head => {
  try {
    const head = parseUntrustedJson(line ?? '') as Partial<Head> | null
    const isSealed = head?.sealed === 'passphrase' || head?.sealed === 'master'
    if (head?.millrace_backup === 1 && isSealed && typeof head.salt === 'string') return head as Head
  } catch {
    // Thrown below.
  }
  throw new BackupError('This is not a Millrace backup')
}
