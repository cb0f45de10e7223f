// Derives a namespace from a name: lowercase letters, digits and single hyphens.
export const namespaceFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
