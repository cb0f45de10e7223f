// Where a service sends the browser back to. It is registered with the service, so it may never change its form.
import type { Settings } from '#platform/settings/settings.ts'

export const redirectAddress = ({ APP_URL }: Pick<Settings, 'APP_URL'>, slug: string): string =>
  `${APP_URL}/settings/secrets/oauth/${slug}`
