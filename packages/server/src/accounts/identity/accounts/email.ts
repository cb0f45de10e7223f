// Email addresses: syntax, which addresses share a mailbox, and disposable domains. Providers are listed only where
// their own documentation describes how they normalize addresses; elsewhere two spellings are two mailboxes.
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'

type Folding = { readonly plus: true; readonly dots?: true; readonly domain?: string }

const gmail: Folding = { plus: true, dots: true, domain: 'gmail.com' }
const plusOnly: Folding = { plus: true }

const plusProviders = [
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
  ...['icloud.com', 'me.com', 'mac.com'],
  ...['fastmail.com', 'fastmail.fm'],
  ...['proton.me', 'protonmail.com', 'pm.me'],
]

const foldings: ReadonlyMap<string, Folding> = new Map([
  ['gmail.com', gmail],
  ['googlemail.com', gmail],
  ...plusProviders.map((domain) => [domain, plusOnly] as const),
])

const split = (email: string): { local: string; domain: string } => {
  const at = email.lastIndexOf('@')
  return at < 0 ? { local: email, domain: '' } : { local: email.slice(0, at), domain: email.slice(at + 1) }
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** As stored: trimmed, lower-case, international domains in ASCII form. */
export const normaliseEmail = (email: string): string => {
  const text = email.trim().toLowerCase()
  const { local, domain } = split(text)
  if (domain === '' || isAscii(domain)) return text
  return `${local}@${domainToASCII(domain) || domain}`
}

const localPattern = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const isMailDomain = (domain: string): boolean => {
  const labels = domain.split('.')
  if (!labels.every((label) => labelPattern.test(label))) return false
  // A domain without a dot is valid only for the local machine.
  if (labels.length === 1) return domain === 'localhost'
  return !/^\d+$/.test(labels.at(-1) ?? '')
}

/** Syntax of a normalized address: a dot-atom and a host name. */
export const isValidEmail = (email: string): boolean => {
  if (email.length > 254) return false
  const { local, domain } = split(email)
  return local.length <= 64 && localPattern.test(local) && isMailDomain(domain)
}

export const emailDomain = (email: string): string => split(normaliseEmail(email)).domain

/** Addresses with equal keys share a mailbox. */
export const mailboxKey = (email: string): string => {
  const normal = normaliseEmail(email)
  const { local, domain } = split(normal)
  const folding = foldings.get(domain)
  if (!folding) return normal
  const plus = local.indexOf('+')
  const untagged = plus > 0 ? local.slice(0, plus) : local
  return `${folding.dots ? untagged.replaceAll('.', '') : untagged}@${folding.domain ?? domain}`
}

/** A plus address at a provider that is not known to ignore the tag. */
export const plusIsDistinct = (email: string): boolean => {
  const { local, domain } = split(normaliseEmail(email))
  return local.includes('+') && !foldings.has(domain)
}

type DisposableDomains = { exact: ReadonlySet<string>; suffixes: ReadonlySet<string> }

let loaded: DisposableDomains | undefined

/** A list of 100,000 domains, loaded for the first new account. */
const disposableDomains = (): DisposableDomains => {
  const require = createRequire(import.meta.url)
  loaded ??= {
    exact: new Set<string>(require('disposable-email-domains/index.json')),
    suffixes: new Set<string>(require('disposable-email-domains/wildcard.json')),
  }
  return loaded
}

export const isDisposable = (domain: string): boolean => {
  const name = domain.trim().toLowerCase().replace(/\.$/, '')
  const { exact, suffixes } = disposableDomains()
  if (exact.has(name)) return true
  const labels = name.split('.')
  return labels.some((_, index) => suffixes.has(labels.slice(index).join('.')))
}
