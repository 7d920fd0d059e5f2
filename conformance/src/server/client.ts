import { setTimeout as pause } from 'node:timers/promises'
import {
  CannotRunError,
  CheckFailure,
  type CheckSubject,
  createRedactor,
  type Exchange,
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
  /**
   * Sends a request given as a line such as `POST /tasks`, whose path is below `/api/v1`, and fails
   * unless the reply is as wanted: a status, then the code of an error, then fields with their codes, as
   * in `422 validation_failed title=required`. `201|409` is one of two statuses.
   */
  ask(line: string, wanted: string, body?: object, options?: RequestOptions): Promise<ServerReply>
  /** Creates a record and returns it. */
  create(path: string, body: object): Promise<ReplyBody>
  createTask(title?: string): Promise<ReplyBody>
  /** Deletes what the run has created; returns the paths of records that it could not delete. */
  deleteRecords(): Promise<string[]>
}

/** Comments and time entries go with their task. */
const DELETED_COLLECTION = /^POST .*(\/tasks|\/tags|\/webhooks)$/
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
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const shown = [line.replace(' ', ' /api/v1'), ...lines, shorten(String(content ?? ''))]
    const exchange = { request: redact(shown.join('\n').trim()), reply: 'none' }
    exchanges.push(exchange)
    try {
      const reply = await fetch(`${run.origin}/api/v1${path}`, {
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
      const text = await reply.text()
      const { status } = reply
      exchange.reply = redact(shorten(`${status} ${text}`))
      return { line, status, headers: reply.headers, text, body: parseObject(text), exchange }
    } catch (error) {
      const reason = error instanceof Error && error.cause ? error.cause : error
      throw new CheckFailure('a reply', String(reason), exchange)
    }
  }

  const subject: ServerSubject = {
    ...run,
    ...{ project: '', inbox: undefined, exchanges, replies },
    async ask(line, wanted, body, options = {}) {
      let reply = await send(line, body, options)
      replies.push(reply)
      // As a client must, it waits as long as the server says.
      for (let waits = 0; reply.status === 429 && waits < MAX_RATE_LIMIT_WAITS; waits += 1) {
        const seconds = Number(reply.headers.get('retry-after'))
        expectTrue(seconds >= 1 && seconds <= 60, 'Retry-After from 1 to 60', seconds)
        await pause(seconds * 1000)
        reply = await send(line, body, options)
        replies.push(reply)
      }
      const [, collection] = DELETED_COLLECTION.exec(line) ?? []
      if (reply.status === 201 && collection) created.add(`${collection}/${reply.body.id}`)
      expectReply(reply, wanted)
      return reply
    },
    create: async (path, body) => (await subject.ask(`POST ${path}`, '201', body)).body,
    createTask: (title = 'Created by the conformance kit') =>
      subject.create('/tasks', { project_id: subject.project, title }),
    async deleteRecords() {
      const left: string[] = []
      for (const path of [...created].reverse()) {
        try {
          await subject.ask(`DELETE ${path}`, '204|404')
        } catch (error) {
          if (!(error instanceof CheckFailure)) throw error
          left.push(path)
        }
      }
      return left
    },
  }
  return subject
}

/** The members of a JSON object; none if the text is something else. */
export function parseObject(text: string): ReplyBody {
  try {
    return Object(JSON.parse(text)) as ReplyBody
  } catch (error) {
    if (error instanceof SyntaxError) return {} as ReplyBody
    throw error
  }
}

function expectReply({ line, status, body: { error }, exchange }: ServerReply, wanted: string) {
  const [statuses = '', code, ...faults] = wanted.split(' ')
  const details = (error?.details ?? []).map(({ field, code: fault }) => `${field}=${fault}`)
  const isAsWanted =
    statuses.split('|').includes(String(status)) &&
    (code === undefined || code === error?.code) &&
    faults.every((fault) => details.some((detail) => detail.startsWith(fault)))
  const seen = [status, error?.code, ...details].join(' ').trim()
  expectTrue(isAsWanted, `${wanted} from ${line}`, seen, exchange)
}

/** Finds the project of the run: the given one, or the first active one that the key can see. */
export async function findProject({ ask }: ServerSubject, id?: string): Promise<string> {
  try {
    if (id !== undefined) return (await ask(`GET /projects/${id}`, '200')).body.id
    const { data } = (await ask('GET /projects?limit=200', '200')).body
    const project = data.find(({ archived_at }) => archived_at === null)
    if (project) return project.id
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    throw new CannotRunError(error.message)
  }
  throw new CannotRunError('The key sees no active project. Create one, or use --project.')
}
