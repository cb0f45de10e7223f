// Which addresses may open an account, and where a sign-in may lead. Pure.
import { fail } from '#platform/core/errors.ts'
import { emailDomain, isDisposable, isValidEmail, normaliseEmail, plusIsDistinct } from './email.ts'

/** As stored, or a refusal: what is no address can have no account. */
export const readEmail = (typed: string): string => {
  const email = normaliseEmail(typed)
  if (!isValidEmail(email)) throw fail('invalid_email', 'This is not an e-mail address')
  return email
}

/** The rules for an address without an account. `enforcePlusAlias` is a setting, and never set for single sign-on. */
export const refuseNewAccount = (email: string, { enforcePlusAlias }: { enforcePlusAlias: boolean }): void => {
  if (isDisposable(emailDomain(email)))
    throw fail('disposable_email', 'Disposable e-mail addresses cannot open an account')
  if (enforcePlusAlias && plusIsDistinct(email))
    throw fail('invalid_email', 'An address with a plus tag cannot open an account here')
}

/** Only the app itself: a sign-in must not hand its visitor to a stranger's page. Undefined for anywhere else. */
export const ownAddress = (redirectTo: string, appUrl: string): string | undefined => {
  if (!URL.canParse(redirectTo, appUrl)) return undefined
  const target = new URL(redirectTo, appUrl)
  if (target.origin !== new URL(appUrl).origin || target.username !== '' || target.password !== '') return undefined
  return target.href
}

/** Null when nothing was asked for; a refusal when it leads elsewhere. */
export const readRedirect = (redirectTo: string | undefined, appUrl: string): string | null => {
  if (redirectTo === undefined || redirectTo === '') return null
  const own = ownAddress(redirectTo, appUrl)
  if (own === undefined) throw fail('validation_error', 'redirect_to must be an address of this app')
  return own
}
