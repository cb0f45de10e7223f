// The redirect address of sign-ins. It is registered with the service, so it must never change.
import type { Settings } from '#platform/settings/settings.ts'

export const redirectAddress = ({ APP_URL }: Pick<Settings, 'APP_URL'>, slug: string): string =>
  `${APP_URL}/settings/secrets/oauth/${slug}`
