// Descriptions as shown to agents. Pure.

const maxDescriptionLength = 200

/** One line of at most 200 characters. */
export const clipped = (description: string): string => {
  const characters = [...description.replace(/\s+/g, ' ').trim()]
  return characters.length <= maxDescriptionLength
    ? characters.join('')
    : `${characters.slice(0, maxDescriptionLength - 3).join('')}...`
}
