import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import { countRawHeaders } from '#http/pipeline/admission.ts'
import { parseIdempotencyKey } from '#http/pipeline/idempotency.ts'
import { getActor } from '#http/pipeline/request-handler.ts'
import { createEndpointCaller, ToolError } from './call-endpoint.ts'
import { createRecordNames } from './record-names.ts'
import { addPrompts, addTaskResource } from './resources-and-prompts.ts'
import type { Tool, ToolContext } from './tool.ts'
import { limitError } from './tool-reply.ts'
import { READ_TOOLS } from './tools/read-tools.ts'
import { WRITE_TOOLS } from './tools/write-tools.ts'

const TOOLS: readonly Tool[] = [...READ_TOOLS, ...WRITE_TOOLS]

/** What is listed depends on the scopes of the credential alone, so no list ever changes. */
const CAPABILITIES = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
}

const INSTRUCTIONS =
  'Docket manages the tasks of a team. Where a tool takes the id of a project, person or tag, a name does, too: ENG, Ada, ' +
  'bug; `me` is the owner of the credential. If a name fits several records, nothing is done and the candidates are returned. ' +
  'Days are YYYY-MM-DD. Nothing can be deleted here: set a task to a canceled status instead.'

/** A request as the SDK takes it. */
interface McpRequest {
  /** The request without its body. */
  forwarded: Request
  body: unknown
  /** Learns of what is refused. */
  onerror: (error: Error) => void
}

/**
 * Serves one request to `/mcp`, of either era of the protocol. Nothing stays behind in this process, so any
 * other one can serve the next request.
 */
export function serveMcpRequest(
  server: FastifyInstance,
  request: FastifyRequest,
  { forwarded, body, onerror }: McpRequest,
): Promise<Response> {
  const idempotencyKey = parseIdempotencyKey(
    request.headers['idempotency-key'],
    countRawHeaders(request.raw, 'idempotency-key'),
  )
  const { scopes, credential_id } = getActor(request)
  const createContext = (): ToolContext => {
    const call = createEndpointCaller(server, request)
    const names = createRecordNames(call)
    return { call, names, credential_id, isPreview: false, idempotencyKey }
  }
  const handler = createMcpHandler(
    () => {
      const mcp = new McpServer(
        { name: 'docket', title: 'Docket', version: BUILD_INFO.version },
        { instructions: INSTRUCTIONS, capabilities: CAPABILITIES },
      )
      for (const tool of TOOLS)
        if (tool.scopes.some((scope) => scopes.has(scope))) addTool(mcp, tool, createContext)
      if (scopes.has('tasks:read')) {
        addTaskResource(mcp, createContext)
        addPrompts(mcp)
      }
      return mcp
    },
    // There is nothing to subscribe to, and a stream would tie a client to this process.
    { maxSubscriptions: 0, onerror },
  )
  return handler.fetch(forwarded, { parsedBody: body })
}

function addTool(mcp: McpServer, tool: Tool, createContext: () => ToolContext): void {
  const { name, title, description, annotations, inputSchema } = tool
  mcp.registerTool(name, { title, description, annotations, inputSchema }, async (input) => {
    try {
      return { content: [{ type: 'text', text: await tool.run(createContext(), input) }] }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { content: [{ type: 'text', text: limitError(error.message) }], isError: true }
    }
  })
}
