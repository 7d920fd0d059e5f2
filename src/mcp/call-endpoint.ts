import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Endpoint, EndpointInput, EndpointReply } from '#wire/endpoint.ts'
import type { OperationRecord } from '#wire/operation-record.ts'

/** Why a tool did not do what it was called for, as the caller reads it: the code of an error, and what it means. */
export class ToolError extends Error {
  readonly code: string
  /** The message without the code. */
  readonly text: string

  constructor(code: string, text: string) {
    super(`${code}: ${text}`)
    this.code = code
    this.text = text
  }
}

type EndpointCallInput<E extends Endpoint> = Partial<EndpointInput<E>> & EndpointCallOptions

/** What a write can be asked for beside its body. */
export interface EndpointCallOptions {
  dryRun?: boolean
  idempotencyKey?: string | undefined
}

/** Calls an endpoint with the credential of the caller. Throws a `ToolError` for every error reply. */
export type CallEndpoint = <E extends Endpoint>(
  endpoint: E,
  input?: EndpointCallInput<E>,
) => Promise<EndpointReply<E>>

/**
 * Creates the only way from a tool to data: a request to the server itself, within the process. So the rights,
 * limits, idempotency and audit log of a tool are those of the endpoint that it calls.
 */
export function createEndpointCaller(
  server: FastifyInstance,
  { headers, ip }: FastifyRequest,
): CallEndpoint {
  return async <E extends Endpoint>(
    { method, path }: E,
    { params, query, body, dryRun = false, idempotencyKey }: EndpointCallInput<E> = {},
  ): Promise<EndpointReply<E>> => {
    const { id = '' }: { id?: string } = Object(params)
    const search = toSearch({ ...Object(query), ...(dryRun && { dry_run: true }) })
    const reply = await server.inject({
      method,
      url: path.replace(':id', encodeURIComponent(id)) + search,
      remoteAddress: ip,
      headers: {
        host: headers.host,
        authorization: headers.authorization,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    const value: unknown = reply.body === '' ? undefined : JSON.parse(reply.body)
    if (reply.statusCode >= 400) throw toToolError(value)
    if (reply.statusCode === 202) throw waitsForPerson(value as OperationRecord)
    return value as EndpointReply<E>
  }
}

function toSearch(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return search.size > 0 ? `?${search}` : ''
}

/** The credential is supervised, so that nothing has happened yet. */
const waitsForPerson = ({ id, reasons }: OperationRecord): ToolError =>
  new ToolError(
    'pending',
    `Not done yet: the owner of this credential decides on it in Docket first (${reasons.join(', ')}). ` +
      `Do not send it again. Its operation is ${id}.`,
  )

interface EndpointErrorReply {
  error: { code: string; message: string; details: readonly { field: string; message: string }[] }
}

/** Fields of a bulk request are those of the list that the tool has taken. */
function toToolError(reply: unknown): ToolError {
  const { code, message, details } = (reply as EndpointErrorReply).error
  const fields = details.map((one) => `\n- ${one.field}: ${one.message}`)
  const text = `${message}${fields.join('')}`
  return new ToolError(code, text.replace(/\boperations\[(\d+)\](\.data)?/g, 'item $1'))
}

/** What the credential may read, or else the fallback. */
export async function readIfInScope<T, F>(read: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ToolError && error.code === 'insufficient_scope') return fallback
    throw error
  }
}
