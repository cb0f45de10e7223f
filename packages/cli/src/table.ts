// Rows as aligned columns, for people.

/** Control characters of foreign text must not reach the terminal: they could draw over what is there. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')

export const table = (headings: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string => {
  const lines = [headings, ...rows.map((row) => row.map((cell = '') => printable(cell)))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
