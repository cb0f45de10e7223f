// The result JSON of every document, as text that is passed on without parsing.

/** Estimated memory of a text besides its characters. */
const bookkeepingBytes = 100

/** One character beyond Latin-1 doubles the size of the whole text. */
const isWide = (text: string): boolean => /[\u0100-\uffff]/.test(text)

const bytesOf = (text: string): number => text.length * (isWide(text) ? 2 : 1) + bookkeepingBytes

export const createShownTexts = () => {
  const texts = new Map<string, string>()
  let bytes = 0
  const remove = (id: string): void => {
    const previous = texts.get(id)
    if (previous === undefined) return
    texts.delete(id)
    bytes -= bytesOf(previous)
  }
  return {
    put: (id: string, text: string): void => {
      remove(id)
      texts.set(id, text)
      bytes += bytesOf(text)
    },
    remove,
    /** As a JSON list; null for missing documents. */
    listOf: (ids: readonly string[]): string => `[${ids.map((id) => texts.get(id) ?? 'null').join(',')}]`,
    bytes: (): number => bytes,
  }
}
