// Translates a provider's error into two sentences: what happened, and what to do.

const longContext =
  /context.?(length|window)|too long|maximum context|too many tokens|exceeds? the (maximum|limit|context)/i
const noQuota = /quota|billing|credit balance|insufficient.?(funds|balance)|payment/i
/** Some providers answer `400` for an invalid key. */
const badKey = /api.?key (is )?(not valid|invalid|expired)|(invalid|incorrect) api.?key/i
const filtered = /content.?(filter|policy)|safety|blocked|moderation|prohibited/i

const brokenOff = /without a finish reason|^terminated|premature close|other side closed/i

const sentence = (text) => `${text.trim().replace(/[.\s]+$/, '')}.`

const adviceFor = (status, text, { service, keyName, modelName }) => {
  if (longContext.test(text) && (status === 400 || status === 413 || status === 422))
    return 'The conversation is too long for this model. Start a new chat, or choose a model with a larger context.'
  if (status === 402 || ((status === 429 || status === 403 || status === 400) && noQuota.test(text)))
    return `The account at ${service} has no credit left. Check its plan and billing.`
  if (status === 401 || status === 403 || (status === 400 && badKey.test(text))) return `Check the secret ${keyName}.`
  if (status === 404) return `Check the model (${modelName}) and the address.`
  if (status === 429) return 'The rate limit was still exceeded after several retries. Try again later.'
  if (filtered.test(text)) return 'The provider’s content filter rejected the request. Rephrase it.'
  if (status === 529 || status === 503) return `${service} was still overloaded after several retries. Try again later.`
  if (status >= 500) return `${service} still failed after several retries. Try again later.`
  return ''
}

const isStatus = (value) => Number.isInteger(value) && value >= 400 && value < 600

/** Of a rejected request; an error in the middle of a response may have a status too. */
const statusOf = (error) => [error?.statusCode, error?.status, error?.code].find(isStatus)

/** Replaces the library's error, which may quote headers and bodies. */
export const providerError = (error, about) => {
  const message = error instanceof Error ? error.message : String(error?.message ?? error)
  const status = statusOf(error)
  const body = typeof error?.responseBody === 'string' ? error.responseBody.slice(0, 20_000) : ''
  if (brokenOff.test(message))
    return new Error(`${about.service} closed the connection before the response was complete. Try again.`)
  if (status === undefined) return new Error(sentence(message || `${about.service} interrupted the response`))
  const advice = adviceFor(status, `${message} ${body}`, about)
  return new Error([sentence(`${about.service} answered ${status}: ${message}`), advice].filter(Boolean).join(' '))
}
