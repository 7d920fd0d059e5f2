import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unauthenticated } from '#auth/authenticator.ts'
import { ApiError } from '#core/api-error.ts'
import type { AppContext } from '#http/app-context.ts'
import { MCP_PATH } from '#http/oauth/mcp-resource.ts'
import { admitRequest, createAdmissionHook } from '#http/pipeline/admission.ts'
import { sendReply } from '#http/reply/send.ts'
import { readJsonBody } from '#http/request/json-body.ts'
import { assertSameOrigin } from '#http/request/same-origin.ts'
import { requestFields } from '#http/server/log.ts'
import { isLoopback } from '#lib/web-origin.ts'
import { endpoint } from '#wire/endpoint.ts'

const MCP_ENDPOINT = endpoint({
  method: 'POST',
  path: MCP_PATH,
  scope: 'any',
  limit: 'workspace',
  tag: 'MCP',
  summary: 'Call tools',
  grantsLastingAccess: false,
})

/**
 * Serves the Model Context Protocol (docs/spec/api.md#mcp), and returns its path with the methods. The library is
 * loaded with the first request, because most servers never get one.
 */
export function serveMcp(server: FastifyInstance, context: AppContext): Record<string, string[]> {
  const { baseUrl, limits, log, network } = context
  const admit = (request: FastifyRequest) => {
    const { authorization, origin } = request.headers
    if (authorization === undefined) {
      limits.address(request.ip)
      throw unauthenticated('none')
    }
    // Only browsers send an origin. That of another page on this machine is that of its person, too.
    const isLocal = network.loopbackOnly && isLoopback(URL.parse(origin ?? '')?.host)
    if (origin !== undefined && !isLocal) assertSameOrigin(request, baseUrl)
    return admitRequest(context, MCP_ENDPOINT, request)
  }
  server.post(MCP_PATH, { onRequest: createAdmissionHook(admit) }, async (request, reply) => {
    const body = await readJsonBody(request.raw, MCP_ENDPOINT)
    // Revisions since 2025-06-18 have no batches, of which one could ask for any number of replies.
    if (Array.isArray(body))
      throw new ApiError(400, 'invalid_request', 'Send one message at a time.')
    const { serveMcpRequest } = await import('./mcp-server.ts')
    const onerror = (err: Error) => log.debug({ ...requestFields(request), err }, 'MCP refused')
    const forwarded = new Request(baseUrl + MCP_PATH, {
      method: 'POST',
      headers: readRawHeaders(request),
    })
    const response = await serveMcpRequest(server, request, { forwarded, body, onerror })
    return sendReply(request, reply, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    })
  })
  return { [MCP_PATH]: [MCP_ENDPOINT.method] }
}

/** As sent: the pipeline has replaced the content type, and HTTP/1.1 headers of the connection say nothing here. */
function readRawHeaders({ raw: { rawHeaders } }: FastifyRequest): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}
