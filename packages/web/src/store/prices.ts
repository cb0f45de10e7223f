// Prices as they are typed: whole numbers of microcents by name. Pure.
export const pricesIn = (value: unknown): Record<string, number> | undefined =>
  Object.values(value ?? {}).every((price) => Number.isSafeInteger(price))
    ? ((value ?? {}) as Record<string, number>)
    : undefined
