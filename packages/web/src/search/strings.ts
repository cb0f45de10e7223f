// Texts of the search page.
export const strings = {
  title: 'Search',
  tab: (query: string) => `${query} - Search`,
  field: 'Search everything',
  hint: 'Search apps, agents, flows, skills and knowledge by words or topic',
  collection: 'Type',
  collections: {
    apps: 'Apps',
    skills: 'Skills',
    knowledge: 'Knowledge',
    agents: 'Agents',
    flows: 'Flows',
    mcp_servers: 'MCP servers',
    pages: 'Pages',
  },
  noResults: (query: string) => `No results for “${query}”`,
  noResultsText: 'Try other words. New content can take a few seconds to appear.',
  searchEverything: 'Search everything',
  openStore: 'Open the store',
} as const
