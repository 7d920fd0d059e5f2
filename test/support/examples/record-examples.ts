import type { ExampleRequest, RecordedExample } from '#http/openapi/recorded-examples.ts'
import { timestampOf } from '#lib/clock.ts'
import { timeOfId } from '#lib/id.ts'
import { crc32Hex } from '#lib/token.ts'
import { type DeliveryDetails, getDelivery } from '#resources/deliveries/contract.ts'
import { listEvents } from '#resources/events/contract.ts'
import { getMe } from '#resources/me/contract.ts'
import { listMembers } from '#resources/members/contract.ts'
import { getProject, listProjects } from '#resources/projects/contract.ts'
import { getRequest, type RequestDetails } from '#resources/requests/contract.ts'
import {
  bulkTags,
  createTag,
  deleteTag,
  getTag,
  listProjectTags,
  updateTag,
} from '#resources/tags/contract.ts'
import { createSignedHeaders } from '#webhooks/attempts.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import type { ExampleClient } from './example-client.ts'
import { createExampleClient, type RecordedExchange } from './example-client.ts'
import type { ExampleWorkspace } from './example-workspace.ts'
import { openExampleWorkspace } from './example-workspace.ts'
import { createStabilizer, exampleSecret, type Stabilizer, stableIdAt } from './stable-values.ts'
import { runTaskStory } from './stories/task-story.ts'
import { runTeamworkStory } from './stories/teamwork-story.ts'
import { runWebhookStory } from './stories/webhook-story.ts'

const MINUTE_MS = 60_000
const EVENT_TYPES = [...EVENT_KINDS, 'webhook.test']

/** What one run of the story has recorded. */
export interface ExampleRecording {
  /** By the tag of the endpoint, and then by its method and path. */
  operations: Map<string, Record<string, RecordedExample>>
  /** The first event of each type. */
  events: Record<string, object>
}

/** Runs the story on a server with an empty database. Each run records the same. */
export async function recordExamples(): Promise<ExampleRecording> {
  const workspace = await openExampleWorkspace()
  try {
    const client = createExampleClient(workspace, workspace.keys.ada)
    const { launchTag } = await runProjectStory(client, workspace)
    await runTaskStory(client, workspace, launchTag)
    await runTeamworkStory(client, workspace)
    const testEvent = await runWebhookStory(client, workspace)
    await workspace.changeProject({ target_date: '2027-07-31' })
    await workspace.promoteCharles()
    await workspace.removeCharles()
    const log = await client.peek(listEvents, { query: { limit: 200 } })
    const events = [...log.reply.data.map((event) => JSON.stringify(event)), testEvent]
    return stabilize(client.exchanges, events)
  } finally {
    await workspace.close()
  }
}

function stabilize(
  exchanges: readonly RecordedExchange[],
  events: readonly string[],
): ExampleRecording {
  const recorded = exchanges.map(({ text, headers, request }) =>
    [text, JSON.stringify([headers, request])].join('\n'),
  )
  const stabilizeRecords = createStabilizer([...recorded, ...events])
  const requestIds = new Map(
    exchanges.map(({ headers, sentAt }) => [
      headers['x-request-id'] ?? '',
      stableIdAt('req', sentAt),
    ]),
  )
  const stabilizer = (text: string) =>
    stabilizeRecords(text.replace(/\breq_\w{26}/g, (id) => requestIds.get(id) ?? id))
  const etags = new Map<string, string>()
  const operations: ExampleRecording['operations'] = new Map()
  for (const exchange of exchanges) {
    const { tag } = exchange.endpoint
    const examples = operations.getOrInsertComputed(tag, () => ({}))
    examples[nameOf(exchange.endpoint)] = toExample(exchange, stabilizer, etags)
  }
  const stableEvents = events.map((event): { type: string } => JSON.parse(stabilizer(event)))
  const firstEvents = EVENT_TYPES.map((type) => [
    type,
    stableEvents.find((one) => one.type === type),
  ])
  return { operations, events: Object.fromEntries(firstEvents) }
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** `etags` has those of earlier replies with their replacements. */
function toExample(
  exchange: RecordedExchange,
  stabilizer: Stabilizer,
  etags: Map<string, string>,
): RecordedExample {
  const { endpoint, status, headers } = exchange
  const text = stabilizer(exchange.text)
  const etag = headers.etag === undefined ? undefined : stableEtag(headers.etag, text)
  if (headers.etag !== undefined && etag !== undefined) etags.set(headers.etag, etag)
  const request: ExampleRequest = JSON.parse(stabilizer(JSON.stringify(exchange.request)))
  const ifMatch = etags.get(request.headers?.['If-Match'] ?? '')
  return {
    request: {
      ...request,
      ...(ifMatch !== undefined && { headers: { ...request.headers, 'If-Match': ifMatch } }),
    },
    response: {
      status,
      headers: stableHeaders(exchange, stabilizer, etag),
      ...(text !== '' && { body: endpoint.download ? text : parseBody(endpoint, text) }),
    },
  }
}

/** The signatures of a delivery are made anew, because the body that they sign is another one. */
function parseBody(endpoint: Endpoint, text: string): unknown {
  if (endpoint === getRequest) return withStableTime(JSON.parse(text))
  if (endpoint !== getDelivery) return JSON.parse(text)
  const delivery: DeliveryDetails = JSON.parse(text)
  const { id, event_id, event_type, request, attempts } = delivery
  const attempt = attempts.at(-1)
  if (!request || !attempt) throw new Error(`The delivery ${id} was not attempted`)
  const headers = createSignedHeaders({
    delivery_id: id,
    event_id,
    event_type,
    attempt: attempt.number,
    body: request.body,
    at: Date.parse(attempt.started_at),
    secret: exampleSecret(1),
    previous_secret: null,
  })
  return { ...delivery, request: { ...request, headers } }
}

/** Requests and their limits have the real time, operations that of the stories. */
function withStableTime(details: RequestDetails): RequestDetails {
  const at = timeOfId(details.operation_id ?? details.id)
  const limit = details.rate_limit?.limit ?? 0
  const resets_at = timestampOf((Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS)
  const rate_limit = details.rate_limit && { limit, remaining: limit - 1, resets_at }
  return { ...details, created_at: timestampOf(at), rate_limit }
}

/** The tag of a record has a checksum of its JSON, without a secret; that of a file stays as it is. */
function stableEtag(etag: string, text: string): string {
  const [, revision] = /^"(\w+)-/.exec(etag) ?? []
  if (revision === undefined) return etag
  return `"${revision}-${crc32Hex(text.replace(/,"secret":"[^"]*"\}$/, '}'))}"`
}

const DOWNLOAD_HEADERS = ['Content-Type', 'Content-Disposition', 'Accept-Ranges']
const RECORD_HEADERS = ['Location', 'X-Operation-Id']

/** The rate limit counts by the real time, so its headers are computed for that of the story. */
function stableHeaders(
  { endpoint, headers, sentAt }: RecordedExchange,
  stabilizer: Stabilizer,
  etag: string | undefined,
): Record<string, string> {
  const names = endpoint.download ? DOWNLOAD_HEADERS : RECORD_HEADERS
  const shown = names.flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? [] : [[name, stabilizer(value)]]
  })
  const limit = Number(headers['x-ratelimit-limit'])
  return {
    ...(etag !== undefined && { ETag: etag }),
    ...Object.fromEntries(shown),
    'X-Request-Id': stableIdAt('req', sentAt),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(limit - 1),
    'X-RateLimit-Reset': String((Math.floor(sentAt / MINUTE_MS) + 1) * 60),
  }
}

/** Looks around in the workspace, and creates the tags of the project. */
async function runProjectStory(
  { record, call }: ExampleClient,
  { project: id }: ExampleWorkspace,
): Promise<{ launchTag: string }> {
  await record(getMe)
  await record(listMembers, { query: { role: ['owner', 'member'], sort: 'name' } })
  await record(listProjects, { query: { status: 'active', sort: 'name' } })
  await record(getProject, { path: { id } })

  const launch = await record(createTag, {
    path: { id },
    body: { name: 'Launch', color: '#f59e0b' },
  })
  const docs = await call(createTag, { path: { id }, body: { name: 'Docs' } })
  await record(listProjectTags, { path: { id }, query: { sort: 'name' } })
  const tag = { path: { id: docs.reply.id } }
  await record(getTag, tag)
  await record(updateTag, {
    ...tag,
    headers: { 'If-Match': docs.etag },
    body: { name: 'Documentation' },
  })
  await record(bulkTags, {
    body: {
      operations: [
        { op: 'create', project_id: id, data: { name: 'Press' } },
        { op: 'update', id: docs.reply.id, data: { color: '#3b82f6' } },
      ],
    },
  })
  await record(deleteTag, tag)
  const { data } = (await call(listProjectTags, { path: { id }, query: { q: 'Press' } })).reply
  await call(deleteTag, { path: { id: data[0]?.id ?? '' } })
  return { launchTag: launch.reply.id }
}
