// A migrated database without a server.
import { newId } from '@millrace/contract/ids'
import pg from 'pg'
import { inject } from 'vitest'
import { templateDatabase, withDatabase } from '../../../testing/global-setup.ts'

export type OwnDatabase = { connectionString: string; drop(): Promise<void> }

export const ownDatabase = async (): Promise<OwnDatabase> => {
  const name = `bus_${newId()}`
  const admin = new pg.Client({ connectionString: inject('postgres') })
  await admin.connect()
  await admin.query(`create database ${name} template ${templateDatabase}`)
  return {
    connectionString: withDatabase(inject('postgres'), name),
    drop: async () => {
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
