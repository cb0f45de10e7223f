// One call to a broker: the address configured by the operator, a deadline and a size limit for the answer. Brokers
// answer in JSON; callers validate it.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'

export type BrokerAddress = { readonly url: string; readonly token: string }

export type BrokerAnswer = { readonly status: number; readonly body: unknown }

const deadlineMs = 30_000
const maxBytes = 10 * 1024 * 1024

const readBody = async (response: Response): Promise<unknown> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes) throw new Error('The broker’s answer exceeds the size limit')
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString()
  if (text === '') return null
  try {
    return parseUntrustedJson(text)
  } catch {
    return null
  }
}

/** Throws when the broker does not answer in time. */
export const callBroker = async (
  { url, token }: BrokerAddress,
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<BrokerAnswer> => {
  const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(deadlineMs),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await readBody(response) }
}

export const isGood = ({ status }: BrokerAnswer): boolean => status >= 200 && status < 300
