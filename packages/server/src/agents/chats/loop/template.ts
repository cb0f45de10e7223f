// Text templates with placeholders: `{{context.NAME}}`. Pure.

const placeholder = /\{\{\s*([a-zA-Z0-9_.-]+)\s*\}\}/g

/** Unknown placeholders are left unchanged, so that the mistake is visible in the result. */
export const fill = (
  text: string,
  lookUp: (name: string) => string | undefined,
  encode: (value: string) => string = (value) => value,
): string =>
  text.replace(placeholder, (whole, name: string) => {
    const value = lookUp(name)
    return value === undefined ? whole : encode(value)
  })

export const contextValue =
  (context: Readonly<Record<string, unknown>>) =>
  (name: string): string | undefined => {
    if (!name.startsWith('context.')) return undefined
    const key = name.slice('context.'.length)
    return Object.hasOwn(context, key) ? String(context[key]) : undefined
  }

/** Names of the placeholders in a text. */
export const placeholdersIn = (text: string): string[] =>
  Array.from(text.matchAll(placeholder), ([, name]) => name ?? '')
