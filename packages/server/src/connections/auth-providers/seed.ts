// Writes the platform's providers from the bundled catalogue at every start. Edited and deleted rows stay unchanged;
// all others follow the catalogue.
import { newId } from '@millrace/contract/ids'
import type { Platform } from '#platform/core/ctx.ts'
import { listedProviders } from '../provider-catalogue/service.ts'
import { insertCompanies, type SeedRow, upsertProviders } from './seed-store.ts'

const seedRows = (): SeedRow[] =>
  listedProviders.map((provider) => ({
    id: newId(),
    slug: provider.slug,
    display_name: provider.display_name,
    website: provider.website,
    description: provider.description,
    docs_url: provider.docs_url,
    how_it_works: provider.how_it_works,
    connection_scope: provider.connection_scope,
    specs: provider.specs,
    type: provider.specs.some(({ kind }) => kind === 'oauth2') ? 'oauth' : 'api_key',
  }))

export const seedProviders = async ({ db, now }: Pick<Platform, 'db' | 'now'>): Promise<void> => {
  const rows = seedRows()
  const at = now().toISOString()
  await upsertProviders(db, rows, at)
  await insertCompanies(db, rows, at)
}
