// The console starts here.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { chooseWorkspaceOfAddress } from './api/call.ts'
import { Problem } from './api/problem.ts'
import { createConsoleRouter } from './router.tsx'
import './styles.css'

const mostTries = 2

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Streams keep what is shown fresh; a page that is opened again asks again, a focused window does not.
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // A refusal stays one; only what the server could not do is tried again.
      retry: (count, error) =>
        count < mostTries && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
})

chooseWorkspaceOfAddress()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={createConsoleRouter(client)} />
    </QueryClientProvider>
  </StrictMode>,
)
