// Which addresses may create an account, and where a sign-in may redirect. Pure.
import { fail } from '#platform/core/errors.ts'
import { emailDomain, isDisposable, isValidEmail, normaliseEmail, plusIsDistinct } from '../accounts/email.ts'

/** The normalized address, or a refusal when the syntax is invalid. */
export const readEmail = (typed: string): string => {
  const email = normaliseEmail(typed)
  if (!isValidEmail(email)) throw fail('invalid_email', 'This is not an email address')
  return email
}

/** The rules for an address without an account. `enforcePlusAlias` is a setting and never applies to single sign-on. */
export const refuseNewAccount = (email: string, { enforcePlusAlias }: { enforcePlusAlias: boolean }): void => {
  if (isDisposable(emailDomain(email)))
    throw fail('disposable_email', 'Disposable email addresses cannot create an account')
  if (enforcePlusAlias && plusIsDistinct(email))
    throw fail('invalid_email', 'An address with a plus tag cannot create an account here')
}

/** Only addresses of the app: a sign-in must not redirect to another site. Undefined for others. */
export const ownAddress = (redirectTo: string, appUrl: string): string | undefined => {
  if (!URL.canParse(redirectTo, appUrl)) return undefined
  const target = new URL(redirectTo, appUrl)
  if (target.origin !== new URL(appUrl).origin || target.username !== '' || target.password !== '') return undefined
  return target.href
}

/** Null without a redirect; a refusal when it leads outside the app. */
export const readRedirect = (redirectTo: string | undefined, appUrl: string): string | null => {
  if (redirectTo === undefined || redirectTo === '') return null
  const own = ownAddress(redirectTo, appUrl)
  if (own === undefined) throw fail('validation_error', '`redirect_to` must be an address of this app')
  return own
}
