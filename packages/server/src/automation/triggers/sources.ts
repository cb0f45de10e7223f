// The catalog of webhook sources: signature scheme, delivery id and address verification of each provider. Constants
// and two pure functions.
import { createHash } from 'node:crypto'
import type { FilterField, TriggerSource } from '@millrace/contract/triggers'
import { isJsonObject } from './payload-path.ts'
import { type DeliveryHeaders, headerOf } from './signatures.ts'

type Entry = Omit<TriggerSource, 'id' | 'short_id' | 'created_at' | 'updated_at' | 'deleted_at'>

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

// The ids are derived from the key, because they must be the same on every server.
const stableId = (key: string): string => {
  const bits = BigInt(`0x${createHash('sha256').update(`trigger-source:${key}`).digest('hex').slice(0, 32)}`)
  return Array.from({ length: 26 }, (_, at) => alphabet[Number((bits >> BigInt(5 * (25 - at))) & 31n)]).join('')
}

const seededAt = '2026-01-01T00:00:00.000000Z'

const secretConfig = (description: string) => ({
  type: 'object',
  properties: { secret_ref: { type: 'string', title: 'Secret', description } },
  required: ['secret_ref'],
})

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const string = { type: 'string' }
const integer = { type: 'integer' }

const text = (field: string, label: string, options?: string[]): FilterField => ({
  field,
  label,
  type: 'string',
  ...(options && { options }),
})

const entries: readonly Entry[] = [
  {
    key: 'generic',
    name: 'Generic',
    description: 'Any JSON body, without a signature. Anyone who knows the address can fire the trigger.',
    icon: 'webhook',
    strategy: 'none',
    filter_fields: [],
  },
  {
    key: 'signed',
    name: 'Signed',
    description: 'Any JSON body with its HMAC-SHA256 in X-Signature-256: sha256= and the hex digest.',
    icon: 'shield',
    strategy: 'hmac-sha256',
    strategy_config: { header: 'X-Signature-256', prefix: 'sha256=', encoding: 'hex' },
    config_schema: secretConfig('Name of the secret that is shared with the sender'),
    filter_fields: [],
  },
  {
    key: 'standard-webhooks',
    name: 'Standard Webhooks',
    description:
      'Any sender that follows the Standard Webhooks specification. The headers of Svix (svix-id) are accepted too.',
    icon: 'shield',
    strategy: 'standard-webhooks',
    strategy_config: {
      header: 'webhook-signature',
      id_header: 'webhook-id',
      timestamp_header: 'webhook-timestamp',
      tolerance_seconds: 300,
    },
    config_schema: secretConfig('Name of the secret with the signing secret (whsec_…)'),
    payload_schema: object({ type: string, timestamp: string, data: { type: 'object' } }),
    filter_fields: [text('type', 'Event type')],
  },
  {
    key: 'github',
    name: 'GitHub',
    description: 'Events of a repository, an organization or a GitHub App.',
    icon: 'github',
    strategy: 'hmac-sha256',
    strategy_config: { header: 'X-Hub-Signature-256', prefix: 'sha256=', encoding: 'hex' },
    config_schema: secretConfig("Name of the secret with the webhook's secret"),
    payload_schema: object({
      action: string,
      ref: string,
      repository: object({ full_name: string }),
      sender: object({ login: string }),
    }),
    filter_fields: [
      text('action', 'Action'),
      text('ref', 'Git ref'),
      text('repository.full_name', 'Repository'),
      text('sender.login', 'Sender'),
    ],
  },
  {
    key: 'slack',
    name: 'Slack',
    description: 'Events API of a Slack app.',
    icon: 'slack',
    strategy: 'slack-v0',
    strategy_config: {
      header: 'X-Slack-Signature',
      timestamp_header: 'X-Slack-Request-Timestamp',
      tolerance_seconds: 300,
    },
    config_schema: secretConfig("Name of the secret with the app's signing secret"),
    payload_schema: object({
      type: string,
      team_id: string,
      event_id: string,
      event: object({ type: string, user: string, channel: string, text: string }),
    }),
    filter_fields: [
      text('event.type', 'Event type', ['message', 'app_mention', 'reaction_added', 'member_joined_channel']),
      text('event.channel', 'Channel id'),
      text('event.user', 'User id'),
      text('event.text', 'Text'),
      text('team_id', 'Workspace id'),
    ],
  },
  {
    key: 'discord',
    name: 'Discord',
    description: 'Interactions and webhook events of a Discord application.',
    icon: 'discord',
    strategy: 'ed25519',
    strategy_config: { header: 'X-Signature-Ed25519', timestamp_header: 'X-Signature-Timestamp', encoding: 'hex' },
    config_schema: secretConfig("Name of the secret with the application's public key"),
    payload_schema: object({
      id: string,
      type: integer,
      guild_id: string,
      channel_id: string,
      data: object({ name: string }),
      event: object({ type: string }),
    }),
    filter_fields: [
      { field: 'type', label: 'Type', type: 'number' },
      text('data.name', 'Command'),
      text('event.type', 'Event type'),
      text('guild_id', 'Server id'),
      text('channel_id', 'Channel id'),
    ],
  },
  {
    key: 'stripe',
    name: 'Stripe',
    description: 'Events of a Stripe account.',
    icon: 'stripe',
    strategy: 'hmac-sha256',
    strategy_config: {
      header: 'Stripe-Signature',
      prefix: 'v1=',
      timestamp_prefix: 't=',
      encoding: 'hex',
      tolerance_seconds: 300,
    },
    config_schema: secretConfig("Name of the secret with the endpoint's signing secret (whsec_…)"),
    payload_schema: object({
      id: string,
      type: string,
      livemode: { type: 'boolean' },
      data: object({ object: { type: 'object' } }),
    }),
    filter_fields: [
      text('type', 'Event type'),
      { field: 'livemode', label: 'Live mode', type: 'boolean', options: ['true', 'false'] },
      text('data.object.object', 'Object'),
    ],
  },
  {
    key: 'linear',
    name: 'Linear',
    description: 'Changes of issues, comments and projects in Linear.',
    icon: 'linear',
    strategy: 'hmac-sha256',
    strategy_config: { header: 'Linear-Signature', prefix: '', encoding: 'hex' },
    config_schema: secretConfig("Name of the secret with the webhook's signing secret"),
    payload_schema: object({ action: string, type: string, data: { type: 'object' }, url: string }),
    filter_fields: [
      text('action', 'Action', ['create', 'update', 'remove']),
      text('type', 'Type', ['Issue', 'Comment', 'Project', 'Cycle']),
      text('data.team.key', 'Team'),
      text('data.state.name', 'State'),
    ],
  },
]

export const triggerSources: readonly TriggerSource[] = entries.map((entry) => {
  const id = stableId(entry.key)
  return {
    id,
    short_id: id.slice(0, 8),
    created_at: seededAt,
    updated_at: seededAt,
    deleted_at: null,
    ...entry,
  }
})

/** A source by id, short id or key. */
export const findSource = (reference: string): TriggerSource | undefined =>
  triggerSources.find(({ id, short_id, key }) => reference === id || reference === short_id || reference === key)

const sourceByKey = (key: string): TriggerSource => {
  const source = findSource(key)
  if (!source) throw new Error(`no trigger source ${key} in the catalog`)
  return source
}

/**
 * The source that verifies a webhook trigger. Without a source, nothing is verified, unless the trigger names a secret:
 * then the generic signed source applies.
 */
export const verifyingSource = (sourceId: string | null, config: Readonly<Record<string, unknown>>): TriggerSource =>
  (sourceId && findSource(sourceId)) || sourceByKey(secretRef(config) ? 'signed' : 'generic')

export const secretRef = (config: Readonly<Record<string, unknown>>): string | null =>
  typeof config.secret_ref === 'string' && config.secret_ref !== '' ? config.secret_ref : null

const idHeaders: Readonly<Record<string, string>> = { github: 'X-GitHub-Delivery', linear: 'Linear-Delivery' }
const idFields: Readonly<Record<string, string>> = { slack: 'event_id', stripe: 'id', discord: 'id' }
const commonIdHeaders = ['webhook-id', 'svix-id', 'Idempotency-Key']

const maxDeliveryIdLength = 200

/**
 * The id that identifies duplicates of a delivery; null without one. It includes its origin, so that an
 * `Idempotency-Key` cannot collide with a provider's own id.
 */
export const deliveryId = (
  source: Pick<TriggerSource, 'key'>,
  headers: DeliveryHeaders,
  payload: unknown,
): string | null => {
  const field = idFields[source.key]
  const fromBody = field !== undefined && isJsonObject(payload) ? payload[field] : undefined
  if (typeof fromBody === 'string' && fromBody !== '') return named(`body.${field}`, fromBody)
  for (const header of [idHeaders[source.key], ...commonIdHeaders]) {
    const id = headerOf(headers, header)?.trim()
    if (header && id) return named(header.toLowerCase(), id)
  }
  return null
}

const named = (place: string, id: string): string =>
  `${place}:${id.length <= maxDeliveryIdLength ? id : `sha256-${createHash('sha256').update(id).digest('hex')}`}`

/** GitHub sends a `ping` when a webhook is created. It is recorded as `filtered`. */
export const isTestDelivery = (source: Pick<TriggerSource, 'key'>, headers: DeliveryHeaders): boolean =>
  source.key === 'github' && headerOf(headers, 'X-GitHub-Event') === 'ping'

export type Challenge = { readonly status: 200; readonly body: unknown } | { readonly status: 204; readonly body: null }

/**
 * The answer to a provider's address verification; null for an ordinary delivery. Call after verifying the signature.
 */
export const challenge = (source: Pick<TriggerSource, 'key'>, payload: unknown): Challenge | null => {
  if (!isJsonObject(payload)) return null
  if (source.key === 'slack' && payload.type === 'url_verification' && typeof payload.challenge === 'string') {
    return { status: 200, body: { challenge: payload.challenge } }
  }
  if (source.key === 'discord') {
    // Interactions ping with type 1; webhook events ping with type 0, and type 1 is an event.
    if (payload.type === 1 && !('event' in payload)) return { status: 200, body: { type: 1 } }
    if (payload.type === 0) return { status: 204, body: null }
  }
  return null
}
