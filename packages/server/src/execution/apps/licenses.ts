// Acceptance of an app's license: one record per app and person, for the latest text.
import type { License } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertReadable } from '#platform/tenancy/private-access.ts'
import { licenseDto } from './dto.ts'
import * as store from './store.ts'

export const get = async (ctx: Ctx, appId: string): Promise<License> => {
  const app = await assertReadable(ctx, await store.findApp(ctx.db, appId), 'app')
  const license = await store.findLicense(ctx.db, app.id, ctx.actor.userId)
  if (!license) throw fail('not_found', 'License acceptance not found')
  return licenseDto(license)
}

export const accept = async (ctx: Ctx, appId: string, license: string): Promise<License> => {
  const app = await assertReadable(ctx, await store.findApp(ctx.db, appId), 'app')
  const now = ctx.now().toISOString()
  const row = { id: newId(), app_id: app.id, user_id: ctx.actor.userId, license, created_at: now, updated_at: now }
  return licenseDto(await store.upsertLicense(ctx.db, row))
}
