// Descriptions as shown to agents. Pure.

const longestDescription = 200

/** One line of at most 200 characters. */
export const clipped = (description: string): string => {
  const characters = [...description.replace(/\s+/g, ' ').trim()]
  return characters.length <= longestDescription
    ? characters.join('')
    : `${characters.slice(0, longestDescription - 3).join('')}...`
}
