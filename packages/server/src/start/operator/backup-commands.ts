// `millrace admin backup` and `restore`.
import { readFile } from 'node:fs/promises'
import { keyFilePath, type MasterKey, parseMasterKey, writeKeyFile } from '#platform/keyring/key-file.ts'
import { readMasterKeys } from '#platform/keyring/master-key.ts'
import type { OpenPlatform } from '../platform.ts'
import { createBackup } from './backup/backup.ts'
import type { Manifest } from './backup/records.ts'
import { restoreBackup, verifyBackup } from './backup/restore.ts'
import { BackupError, type Seal } from './backup/sealed-file.ts'
import { type Command, UsageError, type Words } from './words.ts'

const leastPassphrase = 12

const sealFor = async ({ platform }: OpenPlatform, { options }: Words): Promise<Seal> => {
  const path = options['passphrase-file']
  if (typeof path !== 'string') return { kind: 'master', keys: (await readMasterKeys(platform.settings)) ?? [] }
  const passphrase = (await readFile(path, 'utf8')).trim()
  if (passphrase.length < leastPassphrase)
    throw new UsageError(`The passphrase in ${path} must have at least ${leastPassphrase} characters`)
  return { kind: 'passphrase', passphrase }
}

const fileOf = (text: string | undefined): string => {
  if (text === undefined || text === '') throw new UsageError('Name the file of the backup')
  return text
}

export const backup: Command = {
  usage: 'backup FILE | backup verify FILE [--passphrase-file PATH]',
  summary: 'Write everything into one sealed file while the server works; or read such a file to its end and check it',
  run: async (open, words) => {
    const [first, second] = words.positionals
    const seal = await sealFor(open, words)
    if (first === 'verify') {
      const { manifest, rows, blobs } = await verifyBackup(fileOf(second), seal)
      const text = `The backup of ${manifest.made_at} is whole: ${rows} rows of ${manifest.tables.length} tables, ${blobs} files`
      return { text, json: { made_at: manifest.made_at, version: manifest.version, rows, files: blobs } }
    }
    const file = fileOf(first)
    const { platform, connectionString } = open
    const masterKeys = (await readMasterKeys(platform.settings)) ?? []
    const { tables, blobs, bytes } = await createBackup(
      { connectionString, blobs: platform.blobs, masterKeys, now: platform.now },
      file,
      seal,
    )
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const opens = seal.kind === 'master' ? 'It opens with the master key only: keep that elsewhere.' : ''
    const text = `Wrote ${file}: ${rows} rows of ${tables.length} tables, ${blobs} files, ${bytes} bytes. ${opens}`
    return { text: text.trim(), json: { file, rows, files: blobs, bytes, sealed: seal.kind } }
  },
}

/** The keys that the restored rows are sealed with take the place of what the empty installation had made. */
const adoptKeys = async (open: OpenPlatform, manifest: Manifest): Promise<void> => {
  const kept = (manifest.master_keys ?? []).map(parseMasterKey).filter((key): key is MasterKey => key !== null)
  if (kept.length === 0) return
  const { MASTER_KEY, DATA_DIR } = open.platform.settings
  if (MASTER_KEY === undefined) return writeKeyFile(keyFilePath(DATA_DIR), kept)
  if (!kept.some(({ id }) => id === parseMasterKey(MASTER_KEY)?.id))
    throw new BackupError(
      'MASTER_KEY is not the key of this backup. Unset it, or set it to the key of the installation that was backed up.',
    )
}

export const restore: Command = {
  usage: 'restore FILE [--passphrase-file PATH]',
  summary: 'Make an empty installation what the backup was; all of it or nothing',
  makes: true,
  run: async (open, words) => {
    const seal = await sealFor(open, words)
    const target = { connectionString: open.connectionString, blobs: open.platform.blobs }
    const { manifest, rows, blobs } = await restoreBackup(target, fileOf(words.positionals[0]), seal, (manifest) =>
      adoptKeys(open, manifest),
    )
    const text = `Restored the backup of ${manifest.made_at}: ${rows} rows of ${manifest.tables.length} tables, ${blobs} files`
    return { text, json: { made_at: manifest.made_at, rows, files: blobs } }
  },
}
