// Serializes a PostgreSQL array as text. The driver would do that too, but checks the type of each element; at
// thousands of webhooks per second, that matters.

const escaped = (value: string): string =>
  value.includes('"') || value.includes('\\') ? value.replace(/["\\]/g, String.raw`\$&`) : value

export const textArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${escaped(value)}"`)).join()}}`

/** For numbers and words of letters and digits, which need no quotes. */
export const plainArray = (values: readonly (number | string)[]): string => `{${values.join()}}`
