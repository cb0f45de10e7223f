// The process of an app. Loads the bundle's App class and serves the engine over HTTP on a local port. There is one
// engine and one call at a time, authenticated by a token. Markers on stdout and stderr announce the port and the end
// of each run's log lines.

import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { isMainThread, Worker } from 'node:worker_threads'
import { loadApp } from './app.mjs'
import { errorReporter } from './errors.mjs'
import { explainFailedFetches } from './fetch-reasons.mjs'
import { runFunction } from './run.mjs'
import { openSockets } from './socket.mjs'

const settings = takeSettings()
const mark = markers(settings.token)
const reporter = errorReporter(settings.bundle)

if (isMainThread) await watchEngine(settings.forward)
explainFailedFetches(process.env.MILLRACE_PROXY)

// An error outside a call ends the process, as Node would, but the printed stack shows only the app's own frames.
process.on('uncaughtException', (error) => {
  reporter.print(error, { always: true })
  process.exit(1)
})

let app
try {
  app = await loadApp(settings.bundle)
} catch (error) {
  reporter.print(error)
  mark({ failed: `the app could not be loaded: ${reporter.describeLoad(error)}` })
  process.exitCode = 1
}
if (app) serve(app)

// The settings are removed from the environment, so that programs started by the app do not inherit the token.
function takeSettings() {
  const [host, port] = (process.env.MILLRACE_RUNNER_LISTEN ?? '127.0.0.1:0').split(':')
  const taken = {
    bundle: process.argv[2],
    // `unix:<path>` or `<host>:<port>`.
    listen: host === 'unix' ? { path: port } : { host, port: Number(port) },
    token: process.env.MILLRACE_RUNNER_TOKEN ?? '',
    forward: process.env.MILLRACE_RUNNER_FORWARD,
  }
  for (const name of ['LISTEN', 'TOKEN', 'FORWARD']) delete process.env[`MILLRACE_RUNNER_${name}`]
  return taken
}

// Bound at start: an app may replace `console` or the write methods later.
function markers(token) {
  const streams = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream))
  return (content) => {
    const line = `\x1e${token} ${JSON.stringify(content)}\n`
    for (const write of streams) write(line)
  }
}

// The engine owns our stdin. When the engine dies, the pipe closes and this process exits. A separate thread watches
// the pipe, so that this works while the app blocks the main thread. The same thread runs the forwards out of a
// sandbox.
function watchEngine(forward) {
  const watch = new Worker(
    `const { Socket } = require('node:net')
     const end = () => {
       try { process.kill(-process.pid, 'SIGKILL') } catch {}
       process.kill(process.pid, 'SIGKILL')
     }
     new Socket({ fd: 0, readable: true, writable: false }).on('error', end).on('close', end).resume()
     const { workerData: { forward, module }, parentPort } = require('node:worker_threads')
     if (forward) import(module).then(({ openForwards }) => openForwards(forward)).then(() => parentPort.postMessage('open'))`,
    {
      eval: true,
      stdin: false,
      env: {},
      workerData: { forward, module: new URL('./forward.mjs', import.meta.url).href },
    },
  )
  watch.unref()
  return forward ? new Promise((resolve) => watch.once('message', resolve)) : undefined
}

function serve(app) {
  const sockets = openSockets()
  let running

  const routes = {
    'GET /health': async (_body, response) => answer(response, 200, { ok: true }),
    'GET /schema': async (_body, response) => answer(response, 200, app.schema),
    'POST /setup': async (body, response) => {
      try {
        await app.setup(body.setup ?? {}, body.metadata ?? {})
        answer(response, 200, { ok: true })
      } catch (error) {
        reporter.print(error)
        answer(response, 500, { error: reporter.describe(error) })
      } finally {
        mark({ end: 'setup' })
      }
    },
    'POST /run': async (body, response) => {
      if (running) return answer(response, 409, { error: 'the app is already running a task' })
      running = body.metadata?.task_id ?? ''
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      // Notifies the engine of the start of the call before the app can block this thread.
      response.flushHeaders()
      try {
        await runFunction(app, body, { sockets, response, reporter, endLogs: () => mark({ end: running }) })
      } finally {
        running = undefined
      }
    },
    'POST /cancel': async (body, response) => {
      if (typeof app.instance.onCancel !== 'function') return answer(response, 200, { handled: false })
      sockets.hangUp(body.metadata?.task_id ?? '')
      try {
        await app.instance.onCancel(body.metadata ?? {})
        answer(response, 200, { handled: true })
      } catch (error) {
        answer(response, 500, { error: reporter.describe(error) })
      }
    },
    'POST /unload': async (_body, response) => {
      try {
        await app.instance.unload?.()
      } finally {
        answer(response, 200, { ok: true })
        setImmediate(() => process.exit(0))
      }
    },
  }

  const server = createServer(async (request, response) => {
    try {
      if (!permitted(request)) return answer(response, 403, { error: 'wrong token' })
      const route = routes[`${request.method} ${request.url}`]
      if (!route) return answer(response, 404, { error: 'route not found' })
      await route(request.method === 'POST' ? await readJson(request) : {}, response)
    } catch (error) {
      if (!response.headersSent) answer(response, 500, { error: reporter.describe(error) })
      else response.destroy()
    }
  })
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.on('upgrade', (request, socket, head) => {
    const taskId = /^\/socket\/([^/?]+)$/.exec(request.url ?? '')?.[1]
    if (!taskId || !permitted(request)) return socket.destroy()
    // After any failed handover, the other end of the socket must be closed and not left waiting.
    sockets.attach(decodeURIComponent(taskId), request, socket, head).catch(() => socket.destroy())
  })
  server.listen(settings.listen, () => {
    const address = server.address()
    mark({ port: typeof address === 'object' ? (address?.port ?? 0) : 0 })
  })
}

function permitted(request) {
  const given = Buffer.from(String(request.headers['x-millrace-token'] ?? ''))
  const wanted = Buffer.from(settings.token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function readJson(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : JSON.parse(text)
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
