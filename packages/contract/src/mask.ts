// Masks secrets in logs and in replies of services, in the usual encodings. Pure.

/** Shorter values would match ordinary words. */
const minMaskedLength = 6

/**
 * Inside a longer text, base64 of a value has three possible forms, one per alignment; only the characters that do not
 * depend on their neighbors are matched.
 */
const base64Forms = (value: string): string[] => {
  const bytes = Buffer.from(value)
  const forms: string[] = []
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const from = Math.ceil((before * 4) / 3)
    const whole = Math.floor(((before + bytes.length) * 4) / 3)
    const form = encoded.slice(from, whole)
    if (form.length >= minMaskedLength) forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

const formsOf = (value: string): string[] => {
  const hex = Buffer.from(value).toString('hex')
  const url = encodeURIComponent(value)
  const everyByte = [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const json = JSON.stringify(value).slice(1, -1)
  return [
    value,
    json,
    url,
    url.toLowerCase(),
    new URLSearchParams({ v: value }).toString().slice(2),
    everyByte,
    everyByte.toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64Forms(value),
  ]
}

/**
 * Returns a function that replaces every form of every secret, including single lines of multi-line secrets, because
 * logs arrive line by line.
 */
export const masker = (secrets: readonly string[], mask = '****'): ((text: string) => string) => {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .filter((value) => value.length >= minMaskedLength)
  // Longest first: replacing a shorter prefix first would leave the rest of a longer secret.
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, mask), text)
}
