// A newer version of the server: the same bundled program with one additional migration in its own folder. The
// migration adds columns to busy tables, as a normal release would.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { joinedFile } from '../../packages/launch/src/launch.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The location from which the program finds its migrations. */
const looksFrom = 'packages/server/src/platform/db/migrate.ts'

const step = `
alter table tasks add column next_note text;
alter table workers add column next_note text;
alter table servers add column next_note text not null default 'unknown';
alter table trigger_fires add column next_note text;
create table next_things (id bigint generated always as identity primary key, note text not null);
`

export type NewerVersion = { readonly program: string; readonly migration: string; remove(): Promise<void> }

export const createNewerVersion = async (): Promise<NewerVersion> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-e2e-newer-'))
  const addressIn = (place: string): string => pathToFileURL(join(place, looksFrom)).href
  const older = await readFile(joinedFile('server'), 'utf8')
  const newer = older.replaceAll(addressIn(root), addressIn(folder))
  if (newer === older) throw new Error(`The joined program does not say where ${looksFrom} is`)
  const migration = '9999-the-next-version.sql'
  const migrations = join(folder, 'packages', 'server', 'migrations')
  await cp(join(root, 'packages', 'server', 'migrations'), migrations, { recursive: true })
  await writeFile(join(migrations, migration), step)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'server.mjs')
  await writeFile(program, newer)
  return { program, migration, remove: () => rm(folder, { recursive: true, force: true }) }
}
