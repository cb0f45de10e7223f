// Services whose addresses differ per customer: `https://{subdomain}.example.com/token`. The value is an extra key of
// the OAuth app, stored beside its client id. Pure.
import { secretPrefixOf } from '@millrace/contract/providers'

export type UrlVariable = {
  readonly variable: string
  /** The end of the app key's name, after the prefix of the slug. */
  readonly suffix: string
  readonly label: string
  readonly placeholder: string
  /** The value as used in an address; null when it is invalid. */
  readonly read: (text: string) => string | null
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const host = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')

/** `acme`, or the first label of `acme.example.com`. */
const readLabel = (text: string): string | null => {
  const [first = ''] = host(text).split('.')
  return label.test(first) ? first : null
}

const readDomain = (text: string): string | null => {
  const name = host(text)
  return name.includes('.') && name.split('.').every((part) => label.test(part)) ? name : null
}

/** The id of a directory, one of its domains, or a word such as `common`. */
const readTenant = (text: string): string | null => {
  const tenant = text.trim().toLowerCase()
  return tenant.split('.').every((part) => label.test(part)) ? tenant : null
}

const variables: Readonly<Record<string, UrlVariable>> = {
  domain: { variable: 'domain', suffix: 'DOMAIN', label: 'Domain', placeholder: 'acme.example.com', read: readDomain },
  region: { variable: 'region', suffix: 'REGION', label: 'Region', placeholder: 'eu', read: readLabel },
  shop: { variable: 'shop', suffix: 'SHOP', label: 'Shop', placeholder: 'acme.myshopify.com', read: readLabel },
  subdomain: { variable: 'subdomain', suffix: 'SUBDOMAIN', label: 'Subdomain', placeholder: 'acme', read: readLabel },
  tenant: { variable: 'tenant', suffix: 'TENANT', label: 'Tenant', placeholder: 'common', read: readTenant },
}

export const variableHooks: readonly string[] = Object.keys(variables)

export const variableOf = (hook: string | undefined): UrlVariable | undefined =>
  hook === undefined ? undefined : variables[hook]

export const variableKeyOf = (slug: string, variable: UrlVariable): string =>
  `${secretPrefixOf(slug)}_${variable.suffix}`

/** Placeholder names left in an address. */
export const placeholdersIn = (address: string): string[] =>
  [...address.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

export const fillAddress = (address: string, values: Readonly<Record<string, string>>): string =>
  address.replace(/\{([^{}]*)\}/g, (whole, name: string) => values[name] ?? whole)
