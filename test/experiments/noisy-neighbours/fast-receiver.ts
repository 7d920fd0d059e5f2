import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

/**
 * A receiver that answers at once. It runs in a thread of its own so as not to disturb
 * measurements.
 */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end('ok'))
})
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
