// Services whose addresses differ per customer: `https://{subdomain}.example.com/token`. The variable's value is one more
// key of the OAuth app, kept beside its client id. Pure.
import { secretPrefixOf } from '@millrace/contract/providers'

export type UrlVariable = {
  readonly variable: string
  /** Ends the name of the app key, after the slug's prefix. */
  readonly suffix: string
  readonly label: string
  readonly placeholder: string
  /** The value as it stands in an address; null when it cannot. */
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

/** A directory's id, one of its domains, or a word such as `common`. */
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

/** Names in braces that an address still holds. */
export const placeholdersIn = (address: string): string[] =>
  [...address.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

export const fillAddress = (address: string, values: Readonly<Record<string, string>>): string =>
  address.replace(/\{([^{}]*)\}/g, (whole, name: string) => values[name] ?? whole)
