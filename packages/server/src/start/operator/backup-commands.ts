// `millrace admin backup` and `restore`.
import { readFile } from 'node:fs/promises'
import { keyFilePath, type MasterKey, parseMasterKey, writeKeyFile } from '#platform/keyring/key-file.ts'
import { readMasterKeys } from '#platform/keyring/master-key.ts'
import type { OpenPlatform } from '../platform.ts'
import { createBackup } from './backup/backup.ts'
import type { Manifest } from './backup/records.ts'
import { restoreBackup, verifyBackup } from './backup/restore.ts'
import { BackupError, type Seal } from './backup/sealed-file.ts'
import { type CommandArguments, type OperatorCommand, UsageError } from './command.ts'

const minPassphraseLength = 12

const sealFor = async ({ platform }: OpenPlatform, { options }: CommandArguments): Promise<Seal> => {
  const path = options['passphrase-file']
  if (typeof path !== 'string') return { kind: 'master', keys: (await readMasterKeys(platform.settings)) ?? [] }
  const passphrase = (await readFile(path, 'utf8')).trim()
  if (passphrase.length < minPassphraseLength)
    throw new UsageError(`The passphrase in ${path} must have at least ${minPassphraseLength} characters`)
  return { kind: 'passphrase', passphrase }
}

const fileOf = (text: string | undefined): string => {
  if (text === undefined || text === '') throw new UsageError('The file of the backup is required')
  return text
}

export const backup: OperatorCommand = {
  usage: 'backup FILE | backup verify FILE [--passphrase-file PATH]',
  summary: 'Write a backup to one encrypted file while the server runs, or verify a backup file',
  run: async (open, words) => {
    const [first, second] = words.positionals
    const seal = await sealFor(open, words)
    if (first === 'verify') {
      const { manifest, rows, blobs } = await verifyBackup(fileOf(second), seal)
      const text = `The backup of ${manifest.made_at} is complete: ${rows} rows of ${manifest.tables.length} tables, ${blobs} files`
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
    const opens = seal.kind === 'master' ? 'It can be restored only with the master key; store the key elsewhere.' : ''
    const text = `Wrote ${file}: ${rows} rows of ${tables.length} tables, ${blobs} files, ${bytes} bytes. ${opens}`
    return { text: text.trim(), json: { file, rows, files: blobs, bytes, sealed: seal.kind } }
  },
}

/** Replaces the keys of the empty installation with those of the restored rows. */
const adoptKeys = async (open: OpenPlatform, manifest: Manifest): Promise<void> => {
  const backupKeys = (manifest.master_keys ?? []).map(parseMasterKey).filter((key): key is MasterKey => key !== null)
  if (backupKeys.length === 0) return
  const { MASTER_KEY, DATA_DIR } = open.platform.settings
  if (MASTER_KEY === undefined) return writeKeyFile(keyFilePath(DATA_DIR), backupKeys)
  if (!backupKeys.some(({ id }) => id === parseMasterKey(MASTER_KEY)?.id))
    throw new BackupError(
      'MASTER_KEY is not the key of this backup. Unset it, or set it to the key of the installation that was backed up.',
    )
}

export const restore: OperatorCommand = {
  usage: 'restore FILE [--passphrase-file PATH]',
  summary: 'Restore a backup into an empty installation, completely or not at all',
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
