// A PostgreSQL array as the text of one parameter. The driver would write it too, but asks each element what it is; of
// the arrays that thousands of webhooks a second go through, that is known.

const special = /["\\]/g

const element = (value: string | null): string =>
  value === null ? 'NULL' : `"${value.replace(special, String.raw`\$&`)}"`

export const textArray = (values: readonly (string | null)[]): string => `{${values.map(element).join()}}`

export const numberArray = (values: readonly number[]): string => `{${values.join()}}`
