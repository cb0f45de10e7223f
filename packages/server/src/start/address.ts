// Stores the URL of the server for the operator's commands, which print links.
import type { Db } from '#platform/db/database.ts'
import type { Settings } from '#platform/settings/settings.ts'

const name = 'address'

type Address = Pick<Settings, 'BASE_URL' | 'APP_URL'>

export const rememberAddress = async ({ db, settings }: { db: Db; settings: Settings }): Promise<void> => {
  const value = JSON.stringify({ BASE_URL: settings.BASE_URL, APP_URL: settings.APP_URL } satisfies Address)
  await db
    .insertInto('server_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export const rememberedAddress = async (db: Db): Promise<Address | null> => {
  const row = await db.selectFrom('server_state').select('value').where('name', '=', name).limit(1).executeTakeFirst()
  return (row?.value as Address | undefined) ?? null
}
