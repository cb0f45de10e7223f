// Finds the logo of a site from its HTML. Best effort: on any failure there is no icon.
import type { Outbound } from '#platform/outbound/client.ts'

const pageLimitBytes = 512 * 1024
const timeoutMs = 5000

/** A tag that declares an icon is short; longer tags are ignored. */
const maxTagLength = 2048

/** Bounds the work per page; each tag is searched for several attributes. */
const maxTags = 200

/** The tags of one name. Reads each character once, because a page may consist of tag openings. */
const tagsNamed = (html: string, name: string): string[] => {
  const opening = new RegExp(`<${name}\\b`, 'gi')
  const tags: string[] = []
  let end = -1
  for (const { index } of html.matchAll(opening)) {
    if (end < index) end = html.indexOf('>', index)
    if (end < 0 || tags.length === maxTags) break
    if (end - index <= maxTagLength) tags.push(html.slice(index, end))
  }
  return tags
}

const attributeOf = (tag: string, name: string): string => {
  const match = new RegExp(`\\b${name}\\s*=\\s*("([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag)
  return (match?.[2] ?? match?.[3] ?? match?.[4] ?? '').trim()
}

const rank = (rel: string): number => (rel.includes('apple-touch-icon') ? 3 : rel.split(/\s+/).includes('icon') ? 2 : 0)

type Declared = { rank: number; href: string }

const declaredIcons = (html: string): Declared[] =>
  tagsNamed(html, 'link').map((tag) => ({
    rank: rank(attributeOf(tag, 'rel').toLowerCase()),
    href: attributeOf(tag, 'href'),
  }))

/** The picture for link previews, used when there is no icon. */
const sharedPictures = (html: string): Declared[] =>
  tagsNamed(html, 'meta').map((tag) => ({
    rank: attributeOf(tag, 'property').toLowerCase() === 'og:image' ? 1 : 0,
    href: attributeOf(tag, 'content'),
  }))

/** The address of the best declared icon; null when no declared icon can be fetched. */
export const declaredIcon = (html: string, page: URL): string | null => {
  const links = [...declaredIcons(html), ...sharedPictures(html)]
    .filter(({ rank, href }) => rank > 0 && href !== '' && URL.canParse(href, page.href))
    .map(({ rank, href }) => ({ rank, url: new URL(href, page) }))
    .filter(({ url }) => url.protocol === 'https:' || (url.protocol === 'http:' && page.protocol === 'http:'))
    .sort((a, b) => b.rank - a.rank)
  return links[0]?.url.href ?? null
}

/** Empty when there is no icon or the site cannot be reached. */
export const findSiteIcon = async (outbound: Outbound, website: string): Promise<string> => {
  try {
    const page = await outbound.fetch(website, {
      timeoutMs,
      maxBytes: pageLimitBytes,
      headers: { accept: 'text/html' },
    })
    const declared = page.ok ? declaredIcon(await page.text(), new URL(page.url || website)) : null
    return declared ?? (await usualIcon(outbound, website))
  } catch {
    return ''
  }
}

const usualIcon = async (outbound: Outbound, website: string): Promise<string> => {
  const url = new URL('/favicon.ico', website).href
  const answer = await outbound.fetch(url, { timeoutMs, maxBytes: pageLimitBytes })
  await answer.arrayBuffer()
  return answer.ok && answer.headers.get('content-type')?.startsWith('image/') === true ? url : ''
}
