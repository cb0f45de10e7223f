// Prices as they are typed: whole numbers of microcents by name. Pure.
export const pricesIn = (text: string): Record<string, number> | undefined => {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    const isWhole =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((price) => Number.isSafeInteger(price))
    return isWhole ? (value as Record<string, number>) : undefined
  } catch {
    return undefined
  }
}
