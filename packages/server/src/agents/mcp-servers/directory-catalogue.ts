// The public directory that ships with the server: MCP servers that their vendors run for everyone.
import type { McpAuthType, McpCategory } from '@millrace/contract/mcp-servers'

export type CatalogueEntry = {
  slug: string
  title: string
  description: string
  server_url: string
  documentation_url: string
  category: McpCategory
  auth_type: McpAuthType
  is_featured: boolean
}

const entry = (
  slug: string,
  category: McpCategory,
  [title, description]: readonly [string, string],
  [server_url, documentation_url]: readonly [string, string],
  auth_type: McpAuthType = 'oauth',
): CatalogueEntry => ({
  slug,
  title,
  description,
  server_url,
  documentation_url,
  category,
  auth_type,
  is_featured: featured.has(slug),
})

const featured = new Set(['github', 'linear', 'notion', 'sentry', 'stripe', 'deepwiki'])

/** In the order of the directory. */
export const catalogue: readonly CatalogueEntry[] = [
  entry(
    'github',
    'developer',
    ['GitHub', 'Repositories, issues, pull requests and workflows'],
    ['https://api.githubcopilot.com/mcp/', 'https://docs.github.com/en/copilot'],
    'api_key',
  ),
  entry(
    'linear',
    'productivity',
    ['Linear', 'Issues, projects and comments of a Linear workspace'],
    ['https://mcp.linear.app/mcp', 'https://linear.app/docs/mcp'],
  ),
  entry(
    'notion',
    'productivity',
    ['Notion', 'Pages, databases and comments of a Notion workspace'],
    ['https://mcp.notion.com/mcp', 'https://developers.notion.com/docs/mcp'],
  ),
  entry(
    'sentry',
    'developer',
    ['Sentry', 'Errors and issues of Sentry projects'],
    ['https://mcp.sentry.dev/mcp', 'https://docs.sentry.io/product/sentry-mcp/'],
  ),
  entry(
    'stripe',
    'data',
    ['Stripe', 'Customers, invoices and payments, and the documentation of Stripe'],
    ['https://mcp.stripe.com', 'https://docs.stripe.com/mcp'],
  ),
  entry(
    'deepwiki',
    'developer',
    ['DeepWiki', 'Questions about public repositories and their documentation'],
    ['https://mcp.deepwiki.com/mcp', 'https://docs.devin.ai/work-with-devin/deepwiki-mcp'],
    'none',
  ),
  entry(
    'context7',
    'developer',
    ['Context7', 'Documentation of libraries, by version'],
    ['https://mcp.context7.com/mcp', 'https://context7.com/docs'],
    'none',
  ),
  entry(
    'hugging-face',
    'ai',
    ['Hugging Face', 'Models, datasets, papers and spaces'],
    ['https://huggingface.co/mcp', 'https://huggingface.co/docs/hub/hf-mcp-server'],
    'none',
  ),
  entry(
    'cloudflare-docs',
    'developer',
    ['Cloudflare documentation', 'Searches the documentation of Cloudflare'],
    ['https://docs.mcp.cloudflare.com/mcp', 'https://developers.cloudflare.com/agents/model-context-protocol/'],
    'none',
  ),
  entry(
    'microsoft-learn',
    'developer',
    ['Microsoft Learn', 'Searches the documentation of Microsoft'],
    ['https://learn.microsoft.com/api/mcp', 'https://learn.microsoft.com/training/support/mcp'],
    'none',
  ),
  entry(
    'exa',
    'data',
    ['Exa', 'Searches the web and reads pages'],
    ['https://mcp.exa.ai/mcp', 'https://docs.exa.ai/reference/exa-mcp'],
    'none',
  ),
  entry(
    'atlassian',
    'productivity',
    ['Atlassian', 'Jira issues and Confluence pages'],
    ['https://mcp.atlassian.com/v1/mcp', 'https://support.atlassian.com/rovo/docs/'],
  ),
  entry(
    'asana',
    'productivity',
    ['Asana', 'Tasks and projects of an Asana workspace'],
    ['https://mcp.asana.com/v2/mcp', 'https://developers.asana.com/docs/mcp-server'],
  ),
  entry(
    'monday',
    'productivity',
    ['monday.com', 'Boards and items of a monday.com account'],
    ['https://mcp.monday.com/mcp', 'https://developer.monday.com/api-reference/docs'],
  ),
  entry(
    'intercom',
    'communication',
    ['Intercom', 'Conversations and contacts'],
    ['https://mcp.intercom.com/mcp', 'https://developers.intercom.com/docs/guides/mcp'],
  ),
  entry(
    'vercel',
    'developer',
    ['Vercel', 'Projects, deployments and logs'],
    ['https://mcp.vercel.com', 'https://vercel.com/docs/mcp/vercel-mcp'],
  ),
  entry(
    'supabase',
    'data',
    ['Supabase', 'Databases and projects of Supabase'],
    ['https://mcp.supabase.com/mcp', 'https://supabase.com/docs/guides/getting-started/mcp'],
  ),
  entry(
    'neon',
    'data',
    ['Neon', 'PostgreSQL databases and branches'],
    ['https://mcp.neon.tech/mcp', 'https://neon.com/docs/ai/neon-mcp-server'],
  ),
  entry(
    'figma',
    'other',
    ['Figma', 'Designs as context for code'],
    ['https://mcp.figma.com/mcp', 'https://developers.figma.com/docs/figma-mcp-server/'],
  ),
  entry(
    'canva',
    'other',
    ['Canva', 'Creates and finds designs'],
    ['https://mcp.canva.com/mcp', 'https://www.canva.dev/docs/connect/canva-mcp-server-setup/'],
  ),
]
