import { createInterface } from 'node:readline'
import type { Docket } from '../../sdk/src/index.ts'
import type { CommandDefinition } from './command.ts'
import { describeFailure } from './failures.ts'

const MCP_PATH = '/mcp'
/** Errors of the protocol itself have these statuses, and a body of the protocol. */
const PROTOCOL_ERROR_STATUSES = [400, 404]
/** JSON-RPC 2.0: the server could not do what it was asked for. */
const INTERNAL_ERROR = -32_603
const PARSE_ERROR = -32_700
const NO_ANSWER = 'The server does not answer by the Model Context Protocol. Is it an older Docket?'
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'

/** A message of the protocol, as far as its headers and its reply need it. */
interface McpMessage {
  jsonrpc?: unknown
  id?: string | number
  method?: string
  params?: {
    name?: unknown
    uri?: unknown
    _meta?: Record<string, unknown>
  }
  result?: { protocolVersion?: unknown }
}

/** Connects a program that speaks the Model Context Protocol over standard input and output with the server. */
async function serveMcp(docket: Docket, write: (line: string) => Promise<void>): Promise<void> {
  /** What a client of 2025 has negotiated. Later ones name their revision in each message. */
  let negotiatedVersion: string | undefined

  async function forward(line: string): Promise<void> {
    const message = parseMessage(line)
    if (!message) return write(formatError(null, PARSE_ERROR, 'The line is not a JSON object'))
    try {
      const version = message.params?._meta?.[VERSION_FIELD] ?? negotiatedVersion
      const response = await docket.open({
        method: 'POST',
        path: MCP_PATH,
        body: message,
        headers: headersOf(message, version),
        readableStatuses: PROTOCOL_ERROR_STATUSES,
      })
      const replies = readMessages(await response.text())
      for (const reply of replies) {
        const { result } = parseMessage(reply) ?? {}
        if (message.method === 'initialize' && typeof result?.protocolVersion === 'string')
          negotiatedVersion = result.protocolVersion
        await write(reply)
      }
      if (replies.length === 0 && message.id !== undefined)
        await write(formatError(message.id, INTERNAL_ERROR, NO_ANSWER))
    } catch (error) {
      const failure = describeFailure(error)
      if (!failure || message.id === undefined) throw error
      await write(formatError(message.id, INTERNAL_ERROR, failure.error.message))
    }
  }

  const running = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const forwarding = forward(line).finally(() => running.delete(forwarding))
    running.add(forwarding)
    // The revision is known only once the handshake is over.
    if (parseMessage(line)?.method === 'initialize') await forwarding
  }
  await Promise.all(running)
}

function parseMessage(line: string): McpMessage | undefined {
  try {
    const message: McpMessage | null = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** The headers in which the transport over HTTP repeats parts of a message. */
function headersOf({ method, params }: McpMessage, version: unknown): Record<string, string> {
  const name = params?.name ?? params?.uri
  return {
    accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    ...(method !== undefined && { 'mcp-method': method }),
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  }
}

const encodeHeader = (text: string): string =>
  /^[!-~]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The messages of a reply, which is one of JSON or a stream of events. A notification has none. */
function readMessages(body: string): string[] {
  const lines = body.startsWith('{') ? [body] : body.split('\n')
  return lines
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => parseMessage(line)?.jsonrpc === '2.0')
}

const formatError = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

export const MCP_COMMAND: CommandDefinition = {
  name: 'mcp',
  summary: 'Serve your tasks to an agent on this computer',
  details:
    'Speaks the Model Context Protocol over standard input and output, for agents that cannot sign in by themselves. Your agent starts it: claude mcp add docket -- docket mcp',
  run: ({ connect, output }) =>
    serveMcp(connect().docket, (line) => output.writeBytes(Buffer.from(`${line}\n`))),
}
