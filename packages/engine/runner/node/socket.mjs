// The app's end of a live socket. The engine opens one WebSocket per task. The stream function reads frames in order,
// sends frames, and receives `null` when the caller has disconnected.

const maxQueuedFrames = 256

export function openSockets() {
  // Loaded on first use: most apps have no stream function, and top-level imports delay every start.
  let server
  const acceptor = async () => {
    const { WebSocketServer } = await import('ws')
    server ??= new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024, perMessageDeflate: false })
    return server
  }
  const byTask = new Map()

  const channel = (taskId) => {
    const known = byTask.get(taskId)
    if (known) return known
    const made = makeChannel()
    byTask.set(taskId, made)
    return made
  }

  return {
    attach: async (taskId, request, socket, head) =>
      (await acceptor()).handleUpgrade(request, socket, head, (connection) => channel(taskId).connect(connection)),
    forTask: (taskId, metadata) => channel(taskId).face(taskId, metadata),
    // Ends the input of the function, so that it can return.
    hangUp: (taskId) => byTask.get(taskId)?.hangUp(),
    finish: (taskId) => {
      byTask.get(taskId)?.end()
      byTask.delete(taskId)
    },
  }
}

function makeChannel() {
  const frames = []
  const readers = []
  let connection
  let ended = false
  let connected
  const ready = new Promise((resolve) => {
    connected = resolve
  })

  const push = (frame) => {
    const reader = readers.shift()
    if (reader) return reader(frame)
    frames.push(frame)
    if (frames.length >= maxQueuedFrames) connection?.pause()
  }
  const close = () => {
    ended = true
    connected()
    while (readers.length > 0) readers.shift()(null)
  }
  const recv = async () => {
    if (frames.length > 0) {
      const frame = frames.shift()
      if (frames.length < maxQueuedFrames / 2) connection?.resume()
      return frame
    }
    return ended ? null : new Promise((resolve) => readers.push(resolve))
  }
  const send = async (data) => {
    await ready
    if (ended || connection?.readyState !== 1) throw new Error('the socket is closed')
    const binary = data instanceof Uint8Array || data instanceof ArrayBuffer
    const payload = binary || typeof data === 'string' ? data : JSON.stringify(data)
    await new Promise((resolve, reject) =>
      connection.send(payload, { binary }, (error) => (error ? reject(error) : resolve(undefined))),
    )
  }

  return {
    connect: (made) => {
      if (connection || ended) return made.close(1013)
      connection = made
      made.on('message', (data, isBinary) => push(isBinary ? data : data.toString('utf8')))
      made.on('close', close)
      made.on('error', close)
      connected()
    },
    hangUp: close,
    end: () => {
      close()
      connection?.close(1000)
    },
    face: (id, metadata) => ({
      id,
      metadata,
      get closed() {
        return ended
      },
      recv,
      send,
      close: async () => close(),
      async *[Symbol.asyncIterator]() {
        for (let frame = await recv(); frame !== null; frame = await recv()) yield frame
      },
    }),
  }
}
