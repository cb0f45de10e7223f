// The bus of a single server.
import type { Bus } from './bus.ts'
import { createListeners } from './listeners.ts'

export const createMemoryBus = (onError: (error: unknown) => void): Bus => {
  const { deliver, hasListener, subscribe } = createListeners({ onError })
  return { publish: deliver, hasListener, subscribe, settled: () => undefined }
}
