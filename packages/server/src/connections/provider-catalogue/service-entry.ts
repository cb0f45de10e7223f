// Builds the entry of a service for team work; most are connected through OAuth.
import type { AuthMethod, ListedProvider } from '@millrace/contract/providers'

type Service = {
  slug: string
  name: string
  website: string
  docs: string
  description: string
  scope?: 'team' | 'user'
  specs: readonly AuthMethod[]
}

export const service = ({ slug, name, website, docs, description, scope = 'user', specs }: Service): ListedProvider => {
  const keys = specs.flatMap((method) => (method.kind === 'oauth2' ? [] : method.fields.map((field) => field.key)))
  return {
    slug,
    display_name: name,
    website,
    docs_url: docs,
    description,
    how_it_works: [
      ...(specs.some((method) => method.kind === 'oauth2')
        ? [
            `Sign in to ${name} and approve the requested access`,
            'The token is stored encrypted and refreshed automatically',
          ]
        : []),
      ...(keys.length > 0 ? [`Your own key is saved as ${keys.join(' and ')}`] : []),
      `Apps that need ${name} act with this connection`,
    ],
    connection_scope: scope,
    specs,
  }
}
