import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The yardstick: node:http on the same Node, in a process of its own. It serves the bytes that it is
 * told to, and gives back a JSON body parsed and written anew.
 */
let served = Buffer.alloc(0)

const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body =
      chunks.length > 0
        ? Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())))
        : served
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    })
    response.end(body)
  })
}

process.on('message', (message: { serve?: string }) => {
  if (message.serve !== undefined) served = Buffer.from(message.serve)
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1e6 })
})

const server = createServer(bare).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
