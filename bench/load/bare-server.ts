import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The baseline: a bare node:http server on the same Node, in its own process. It serves the bytes
 * that it is given, and answers a JSON body with the same body, parsed and serialized again.
 */
let responseBody = Buffer.alloc(0)

const handleRequest: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body =
      chunks.length > 0
        ? Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())))
        : responseBody
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    })
    response.end(body)
  })
}

process.on('message', (message: { serve?: string }) => {
  if (message.serve !== undefined) responseBody = Buffer.from(message.serve)
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1e6 })
})

const server = createServer(handleRequest).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
