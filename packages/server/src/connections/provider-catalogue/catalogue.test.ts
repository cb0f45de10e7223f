// Guarantees: the catalog has 38 services, each complete and valid, and a secret name identifies at most one of them.

import { clientIdKeyOf, clientSecretKeyOf, isProviderSlug } from '@millrace/contract/providers'
import { describe, expect, it } from 'vitest'
import { listedProviders, providerOfSecretName } from './service.ts'

describe('listed providers', () => {
  it('are 38, in byte order, none twice', () => {
    const slugs = listedProviders.map((provider) => provider.slug)
    expect(slugs).toHaveLength(38)
    expect(new Set(slugs).size).toBe(38)
    expect(slugs).toEqual(slugs.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  })

  it.each(listedProviders.map((provider) => [provider.slug, provider] as const))('%s is whole', (slug, provider) => {
    expect(isProviderSlug(slug)).toBe(true)
    expect(provider.specs.length).toBeGreaterThan(0)
    expect(provider.how_it_works.length).toBeGreaterThan(0)
    for (const text of [provider.display_name, provider.description]) expect(text).not.toBe('')
    expect([...provider.description].length).toBeLessThanOrEqual(200)
    const links = provider.specs.flatMap((method) =>
      method.kind === 'oauth2'
        ? [
            method.authorization_endpoint,
            method.token_endpoint,
            method.refresh_endpoint,
            method.revocation_endpoint,
            method.userinfo_url,
          ]
        : [],
    )
    for (const link of [provider.website, provider.docs_url, ...links])
      if (link !== undefined) expect(new URL(link).protocol).toBe('https:')
    expect(new URL(provider.website).hostname).not.toMatch(/^www\./)
  })

  it('no two services claim one secret name', () => {
    const names = listedProviders.flatMap((provider) =>
      provider.specs.flatMap((method) => (method.kind === 'oauth2' ? [] : method.fields.map((field) => field.key))),
    )
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/)
  })

  it.each([
    ['OPENAI_API_KEY', 'openai'],
    ['TWILIO_AUTH_TOKEN', 'twilio'],
    ['HF_TOKEN', 'huggingface'],
    [clientIdKeyOf('github'), undefined],
    [clientSecretKeyOf('github'), undefined],
    ['SOMETHING_ELSE', undefined],
  ])('the name %s leads to %s', (name, slug) => {
    expect(providerOfSecretName(name)?.slug).toBe(slug)
  })
})
