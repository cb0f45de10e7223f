// Takes secrets out of logs and of what a service sent back, in the forms in which programs like to write them. Pure.

/** Shorter values would hit ordinary words. */
const leastLength = 6

/** Base64 of a value inside a longer text looks different at each of three positions; the parts that do not depend on
 * their neighbours are what all of them share. */
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
    if (form.length >= leastLength) forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
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

/** A function that replaces every form of every secret by stars, also of each line of one: logs come line by line. */
export const masker = (secrets: readonly string[], mask = '****'): ((text: string) => string) => {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .filter((value) => value.length >= leastLength)
  // The longest go first: one that begins like a shorter one would keep its rest.
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, mask), text)
}
