// Opens an address in the person's browser. The address is always printed as well: a browser that does not open costs
// nothing.
import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export const openBrowser = (url: string): void => {
  // The address comes from a server: nothing but a web page may be opened with it.
  if (!/^https?:\/\//.test(url)) return
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
