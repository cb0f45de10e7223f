// Slugs for providers of MCP servers: `{name}-mcp`, and when that is taken `{name}-2-mcp`, `{name}-3-mcp`. Pure.
import { isIP } from 'node:net'
import { providerSlugMaxLength } from '@millrace/contract/providers'
import { slugOf } from '@millrace/contract/refs'

/** Labels that describe the role of a host and not its owner. */
const generic = new Set(['mcp', 'api', 'app', 'apps', 'www', 'server', 'servers', 'remote', 'sse', 'gateway', 'dev'])

/** Second-level names that country registries use for registrations. */
const registryLabels = new Set(['ac', 'co', 'com', 'edu', 'gov', 'ne', 'net', 'or', 'org'])

/** `mcp.linear.app` gives linear, `api.acme.co.uk` gives acme. */
export const distinctiveLabel = (host: string): string => {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIP(name) !== 0) return slugOf(name)
  const labels = name.split('.').filter((label) => label !== '')
  if (labels.length > 1) labels.pop()
  if (labels.length > 1 && registryLabels.has(labels.at(-1) ?? '')) labels.pop()
  const telling = labels.filter((label) => !generic.has(label))
  return slugOf(telling.at(-1) ?? labels.at(-1) ?? 'server') || 'server'
}

export const mcpSlug = (name: string, number: number): string => {
  const ending = number === 1 ? '-mcp' : `-${number}-mcp`
  // A server named `x-mcp` does not become `x-mcp-mcp`.
  const base = slugOf(name, name.length).replace(/-mcp$/, '') || 'server'
  return `${base.slice(0, providerSlugMaxLength - ending.length).replace(/-+$/, '')}${ending}`
}
