import { setTimeout as pause } from 'node:timers/promises'
import {
  CannotRunError,
  CheckFailure,
  type CheckSubject,
  createRedactor,
  type Exchange,
  expectEqual,
  expectTrue,
  shorten,
} from '../check.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

/** What the checks read of any reply: a record, a list or an error. */
export interface ReplyBody {
  id: string
  data: ReplyBody[]
  next_cursor: string | null
  has_more: boolean
  error: {
    type: string
    code: string
    message: string
    details: { field: string; code: string; message: string; resource_id?: string }[]
    request_id: string
    doc_url: string
  }
  [field: string]: unknown
}

/** A reply of the server under test. */
export interface ServerReply {
  line: string
  status: number
  headers: Headers
  text: string
  /** Empty unless the text is a JSON object. */
  body: ReplyBody
  exchange: Exchange
}

/** Parts of a request that most have in common. */
export interface RequestOptions {
  headers?: Record<string, string>
  /** An API key instead of that of the run; an empty one sends no credential. */
  key?: string
  /** A body that is sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>
}

/** The addresses and credentials of a run. */
export interface ServerRun {
  origin: string
  key: string
  secondKey: string
  readOnlyKey: string
  options: ReadonlySet<string>
}

/** A server under test. */
export interface ServerSubject extends CheckSubject, ServerRun {
  /** All replies of the run. */
  replies: ServerReply[]
  /** The project in which records are created. */
  project: string
  inbox: WebhookInbox | undefined
  /** Sends a request given as a line such as `POST /tasks`, whose path is below `/api/v1`. */
  ask(line: string, body?: object, options?: RequestOptions): Promise<ServerReply>
  /** Creates a record and returns it. */
  create(path: string, body: object): Promise<ReplyBody>
  createTask(title?: string): Promise<ReplyBody>
  /** Deletes what the run has created; returns the paths of records that it could not delete. */
  deleteRecords(): Promise<string[]>
}

/** Comments and time entries go with their task. */
const DELETED_COLLECTIONS = /^POST (\/tasks|\/webhooks)$|^POST \/projects\/[^/]+(\/tags)$/
const MAX_RATE_LIMIT_WAITS = 3
const REQUEST_TIMEOUT_MS = 30_000

/** Creates the subject of the checks of a server, whose project is still to be set. */
export function createServerSubject(run: ServerRun): ServerSubject {
  const redact = createRedactor([run.key, run.secondKey, run.readOnlyKey])
  const created = new Set<string>()
  const exchanges: Exchange[] = []
  const replies: ServerReply[] = []

  async function send(line: string, body: object | undefined, options: RequestOptions) {
    const { key = run.key, raw, headers = {} } = options
    const [method = '', path = ''] = line.split(' ')
    const content = raw ?? (body && JSON.stringify(body))
    const exchange = { request: redact(describeRequest(line, headers, content)), reply: 'none' }
    exchanges.push(exchange)
    let text: string
    let reply: Response
    try {
      reply = await fetch(`${run.origin}/api/v1${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(content !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(content !== undefined && { body: content }),
      })
      text = await reply.text()
    } catch (error) {
      const reason = error instanceof Error && error.cause ? error.cause : error
      throw new CheckFailure('a reply', String(reason), exchange)
    }
    exchange.reply = redact(shorten(`${reply.status} ${text}`.trim()))
    const { status } = reply
    return { line, status, headers: reply.headers, text, body: parseObject(text), exchange }
  }

  /** The contract of a client: after a 429 it waits as long as the server says. */
  async function ask(line: string, body?: object, options: RequestOptions = {}) {
    for (let waits = 0; ; waits += 1) {
      const reply = await send(line, body, options)
      replies.push(reply)
      const collection = DELETED_COLLECTIONS.exec(line)
      const { id } = reply.body
      if (reply.status === 201 && collection) created.add(`${collection[1] ?? collection[2]}/${id}`)
      const seconds = Number(reply.headers.get('retry-after'))
      if (reply.status !== 429 || waits === MAX_RATE_LIMIT_WAITS) return reply
      expectTrue(seconds >= 1 && seconds <= 60, 'Retry-After of 1 to 60', seconds, reply.exchange)
      await pause(seconds * 1000)
    }
  }

  async function create(path: string, body: object): Promise<ReplyBody> {
    const reply = await ask(`POST ${path}`, body)
    expectStatus(reply, 201)
    return reply.body
  }

  const subject: ServerSubject = {
    ...run,
    ...{ project: '', inbox: undefined, exchanges, replies, ask, create },
    createTask: (title = 'Created by the conformance kit') =>
      create('/tasks', { project_id: subject.project, title }),
    async deleteRecords() {
      const left: string[] = []
      for (const path of [...created].reverse()) {
        const { status } = await ask(`DELETE ${path}`)
        if (status !== 204 && status !== 404) left.push(path)
      }
      return left
    },
  }
  return subject
}

function describeRequest(
  line: string,
  headers: Record<string, string>,
  content: string | Uint8Array<ArrayBuffer> | undefined,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const body = typeof content === 'string' ? ['', shorten(content)] : []
  return [line.replace(' ', ' /api/v1'), ...lines, ...body].join('\n')
}

function parseObject(text: string): ReplyBody {
  try {
    return Object(JSON.parse(text)) as ReplyBody
  } catch (error) {
    if (error instanceof SyntaxError) return {} as ReplyBody
    throw error
  }
}

/** Finds the project of the run: the given one, or the first that the key can see. */
export async function findProject({ ask }: ServerSubject, id?: string): Promise<string> {
  const reply = await ask(id === undefined ? 'GET /projects?limit=50' : `GET /projects/${id}`)
  if (reply.status !== 200) {
    throw new CannotRunError(`${reply.exchange.request} was answered ${reply.exchange.reply}`)
  }
  if (id !== undefined) return reply.body.id
  const project = reply.body.data?.find(({ archived_at }) => !archived_at)
  if (!project) throw new CannotRunError('The key sees no project. Create one, or use --project.')
  return project.id
}

/** Fails unless the reply has this status. */
export function expectStatus(reply: ServerReply, status: number): void {
  const seen = reply.body.error?.code ? `${reply.status} ${reply.body.error.code}` : reply.status
  expectTrue(reply.status === status, `${reply.line}: status ${status}`, seen, reply.exchange)
}

/** Fails unless the reply is this error and, if one is given, its details name the field with this code. */
export function expectError(
  reply: ServerReply,
  status: number,
  code: string,
  field?: Record<string, string>,
): void {
  const { error } = reply.body
  const seen = `${reply.status} ${error?.code}`
  expectEqual(seen, `${status} ${code}`, `${reply.line}:`, reply.exchange)
  for (const [name, fault] of Object.entries(field ?? {})) {
    const details = error.details.map((one) => `${one.field} ${one.code}`)
    const expected = `details with ${name} ${fault}`
    expectTrue(details.includes(`${name} ${fault}`), expected, details, reply.exchange)
  }
}

/** Fails unless a record has all of these fields; others may be added. */
export function expectFields(record: ReplyBody, fields: readonly string[]): void {
  const missing = fields.filter((field) => !Object.hasOwn(record, field))
  expectEqual(missing, [], 'missing fields')
}
