// Opens an address in the browser. The address is also printed, because opening it can fail.
import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export const openBrowser = (url: string): void => {
  // The address comes from a server, so only web pages are opened.
  if (!/^https?:\/\//.test(url)) return
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
