// Formats and parses amounts of money. Pure.

const microcentsPerDollar = 100_000_000

/** Small amounts keep their significant digits. */
export const moneyText = (microcents: number): string => {
  const dollars = microcents / microcentsPerDollar
  const size = Math.abs(dollars)
  const digits = size === 0 || size >= 1 ? 2 : size >= 0.01 ? 4 : 6
  return `${dollars < 0 ? '−' : ''}$${size.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`
}

/** The entered amount in microcents; null if it is not an amount. */
export const microcentsIn = (text: string): number | null => {
  const dollars = Number(text.replace(/[$\s,]/g, ''))
  return text.trim() === '' || !Number.isFinite(dollars) || dollars < 0
    ? null
    : Math.round(dollars * microcentsPerDollar)
}

/** Formats an amount for an input field. */
export const dollarsOf = (microcents: number): string =>
  (microcents / microcentsPerDollar).toFixed(8).replace(/\.?0+$/, '')
