import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { authorizationAt } from './authorization.ts'

test('no browser is sent, and no code told, to where a server says that another is', async () => {
  let named: Record<string, string> = {}
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer: url, ...named }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const own = {
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
  }
  try {
    named = own
    await authorizationAt(url)
    for (const name of Object.keys(own)) {
      for (const elsewhere of ['file:///bin/sh', 'http://evil.example/', 'calculator:', '/x', '']) {
        named = { ...own, [name]: elsewhere }
        await assert.rejects(authorizationAt(url), { code: 'unavailable' }, elsewhere)
      }
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
