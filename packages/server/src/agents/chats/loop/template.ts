// Texts with places for values: `{{context.NAME}}`. Pure.

const place = /\{\{\s*([a-zA-Z0-9_.-]+)\s*\}\}/g

/** Places that nothing is known about stay as they are written, so that whoever reads the result sees the mistake. */
export const fill = (
  text: string,
  lookUp: (name: string) => string | undefined,
  encode: (value: string) => string = (value) => value,
): string =>
  text.replace(place, (whole, name: string) => {
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

/** Names of the places in a text. */
export const placesIn = (text: string): string[] => Array.from(text.matchAll(place), ([, name]) => name ?? '')
