import { subscribe } from 'node:diagnostics_channel'
import { IncomingMessage } from 'node:http'

/**
 * Control, preloaded by NODE_OPTIONS: a server that trusts any Origin must fail the CSRF tests. Each
 * request arrives as if a page of Docket had sent it.
 */
subscribe('http.server.request.start', (message) => {
  if (typeof message !== 'object' || message === null || !('request' in message)) return
  const { request } = message
  if (request instanceof IncomingMessage) request.headers['sec-fetch-site'] = 'same-origin'
})
