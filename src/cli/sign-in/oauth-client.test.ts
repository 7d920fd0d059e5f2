import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { discoverOAuthServer } from './oauth-client.ts'

test('discovery rejects authorization servers whose endpoints have another origin', async () => {
  let endpoints: Record<string, string> = {}
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer: url, ...endpoints }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const ownEndpoints = {
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
  }
  try {
    endpoints = ownEndpoints
    await discoverOAuthServer(url)
    for (const name of Object.keys(ownEndpoints)) {
      for (const foreign of ['file:///bin/sh', 'http://evil.example/', 'calculator:', '/x', '']) {
        endpoints = { ...ownEndpoints, [name]: foreign }
        await assert.rejects(discoverOAuthServer(url), { code: 'unavailable' }, foreign)
      }
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
