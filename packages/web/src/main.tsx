// The console starts here.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { enter } from './api/enter.ts'
import { Problem } from './api/problem.ts'
import { createConsoleRouter } from './router.tsx'
import './styles.css'

const maxRetries = 2

const client = new QueryClient({
  defaultOptions: {
    // Without a connection a request fails at once: a paused write would be sent later without being asked for again.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Streams keep the data of the open page fresh. A page that is opened again refetches, a focused window does not.
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // A rejected request stays rejected; only failures of the server or the network are retried.
      retry: (count, error) =>
        count < maxRetries && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
})

await enter(client)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root')
createRoot(root, {
  // The page shows what the server refused; only faults of the console belong in its log.
  onCaughtError: (error) => {
    if (!(error instanceof Problem)) console.error(error)
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={createConsoleRouter(client)} />
    </QueryClientProvider>
  </StrictMode>,
)
