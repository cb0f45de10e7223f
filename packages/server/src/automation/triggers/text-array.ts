// A PostgreSQL array as the text of one parameter. The driver would write it too, but asks each element what it is; of
// the arrays that thousands of webhooks a second go through, that is known.

const escaped = (value: string): string =>
  value.includes('"') || value.includes('\\') ? value.replace(/["\\]/g, String.raw`\$&`) : value

export const textArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${escaped(value)}"`)).join()}}`

/** Numbers, and words of letters and digits, which need no quotes. */
export const plainArray = (values: readonly (number | string)[]): string => `{${values.join()}}`
