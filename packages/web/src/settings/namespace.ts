// A namespace as it follows from a name: lower-case letters, digits and single hyphens.
export const namespaceFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
