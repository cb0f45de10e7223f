// Verifies and filters a delivery. Pure: trigger, bytes and time are arguments.
import type { KeyObject } from 'node:crypto'
import type { ErrorCode } from '@millrace/contract/errors'
import type { EventFilter, TriggerSource } from '@millrace/contract/triggers'
import { passesFilters } from './filters.ts'
import { capturedText, readPayload } from './payload.ts'
import { checkSignature, type DeliveryHeaders, headerOf } from './signatures.ts'
import { type Challenge, challenge, deliveryId, isTestDelivery } from './sources.ts'

/** The fields of a webhook trigger that ingestion needs. */
export type HookTrigger = {
  readonly id: string
  readonly enabled: boolean
  readonly source: TriggerSource
  readonly secret: string | null
  readonly secretKey?: KeyObject
  readonly filters: readonly EventFilter[]
}

export type IncomingDelivery = { readonly headers: DeliveryHeaders; readonly body: Uint8Array; readonly now: Date }

export type DeliveryVerdict =
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string; readonly reason?: string }
  | { readonly kind: 'challenge'; readonly answer: Challenge }
  | {
      readonly kind: 'good'
      readonly status: 'pending' | 'filtered'
      /** JSON text for the log, and the full payload if the log stores less. */
      readonly payload: string
      readonly wholePayload: string | null
      readonly deliveryId: string | null
    }

const refused = (code: ErrorCode, detail: string, reason?: string): DeliveryVerdict => ({
  kind: 'refused',
  code,
  detail,
  ...(reason === undefined ? {} : { reason }),
})

export const verifyDelivery = (
  trigger: HookTrigger | null,
  { headers, body, now }: IncomingDelivery,
): DeliveryVerdict => {
  if (!trigger) return refused('not_found', 'Webhook trigger not found')
  if (!trigger.enabled) return refused('trigger_disabled', 'The trigger is disabled')
  const { source, secret, secretKey, filters } = trigger
  const signature = checkSignature(source, { headers, body, secret, secretKey, now })
  if (!signature.ok) return refused('unauthorized', 'The signature could not be verified', signature.reason)
  const read = readPayload(body, headerOf(headers, 'content-type'))
  if (!read.ok) return refused('invalid_request', `The payload was refused: ${read.detail}`)
  const answer = challenge(source, read.payload)
  if (answer) return { kind: 'challenge', answer }
  const isWanted = !isTestDelivery(source, headers) && passesFilters(filters, read.payload)
  const payload = capturedText(read.text)
  return {
    kind: 'good',
    status: isWanted ? 'pending' : 'filtered',
    payload,
    wholePayload: isWanted && payload !== read.text ? read.text : null,
    deliveryId: deliveryId(source, headers, read.payload),
  }
}
