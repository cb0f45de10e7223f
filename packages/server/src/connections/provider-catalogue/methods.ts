// Shared definitions of the connection methods of most listed services.
import type { ApiKeyMethod, ListedProvider, OAuth2Method, SecretField } from '@millrace/contract/providers'

export const secretField = (key: string, label: string, placeholder = ''): SecretField => ({
  key,
  label,
  placeholder,
  sensitive: true,
  optional: false,
})

type KeyHeader = { key: string; label?: string; placeholder?: string; header?: string; prefix?: string }

/** A key in a request header; a bearer token unless the service uses a header of its own. */
export const keyInHeader = ({ key, label = 'API key', placeholder, header, prefix }: KeyHeader): ApiKeyMethod => ({
  kind: 'api_key',
  fields: [secretField(key, label, placeholder)],
  in: 'header',
  name: header ?? 'Authorization',
  prefix: prefix ?? (header === undefined ? 'Bearer ' : ''),
})

export const authorizationCode = (
  method: Omit<OAuth2Method, 'kind' | 'flow'> & { authorization_endpoint: string },
): OAuth2Method => ({ kind: 'oauth2', flow: 'authorization_code', ...method })

type KeyService = KeyHeader & { slug: string; name: string; website: string; docs: string; description: string }

/** A service that needs only one API key. */
export const keyService = ({ slug, name, website, docs, description, ...place }: KeyService): ListedProvider => ({
  slug,
  display_name: name,
  website,
  docs_url: docs,
  description,
  how_it_works: [
    `Create an API key in your ${name} account`,
    `Save it as ${place.key}`,
    `Apps that need ${name} get the key when they run`,
  ],
  connection_scope: 'team',
  specs: [keyInHeader(place)],
})
