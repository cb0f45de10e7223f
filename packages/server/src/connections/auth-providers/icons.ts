// The icon of a provider: the one a person set, or else the company's, or else the logo that the website declares. Best
// effort; on failure the icon is empty.
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { findSiteIcon } from '../secrets/service.ts'
import * as store from './store.ts'

export const iconJob = 'auth_providers_find_icon'

type Card = { company: string; website: string }

export const companyIcon = async ({ db }: Pick<Ctx, 'db'>, company: string): Promise<string> =>
  (await store.findCompany(db, company))?.icon_url ?? ''

export const findIcon = async (ctx: Pick<Ctx, 'db' | 'outbound'>, { company, website }: Card): Promise<string> => {
  const known = await companyIcon(ctx, company)
  if (known !== '' || website === '') return known
  return findSiteIcon(ctx.outbound, website)
}

/** Runs one lookup at a time, so a workspace with slow sites occupies only one worker. */
export const queueIcon = ({ jobs, db, actor: { teamId } }: Ctx, providerId: string): Promise<void> =>
  jobs.add(db, iconJob, { provider_id: providerId, team_id: teamId }, { maxAttempts: 3, queue: `${iconJob}:${teamId}` })

/** For workspace rows, whose response does not wait for another website. */
export const findIconLater = async (platform: Platform, providerId: string): Promise<void> => {
  const row = await store.findById(platform.db, providerId)
  if (row?.icon_url !== '' || row.website === '') return
  const icon = await findIcon(platform, { company: row.provider, website: row.website })
  if (icon !== '') await store.setIconIfEmpty(platform.db, row.id, row.website, icon)
}
