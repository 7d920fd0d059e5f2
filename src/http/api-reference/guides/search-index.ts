import {
  listCalls,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiSchema,
  type OperationCall,
} from '../../openapi/document-types.ts'
import { ERROR_CODES, FIELD_CODE_MEANINGS } from '../error-codes.ts'
import {
  createReferenceContext,
  groupRecordsByTag,
  type ReferenceContext,
} from '../reference/records.ts'
import {
  listSchemaFields,
  operationAnchor,
  recordAnchor,
  refName,
  resolveRef,
} from '../reference/schema-words.ts'
import { guidePath } from './guide-files.ts'
import type { GuideContent } from './guides.ts'

/**
 * Words that people search for and that the title of their target lacks. Keys are ids of operations
 * and addresses of guides.
 */
export const SEARCH_KEYWORDS: Readonly<Record<string, string>> = {
  rotateWebhookSecret: 'rotate secret signing key',
  redeliver: 'redeliver resend retry delivery',
  replayEvents: 'replay events resend missed',
  testWebhook: 'ping test webhook',
  bulkTasks: 'bulk update batch bulk create bulk delete upsert',
  uploadAttachment: 'upload file upload attachment',
  downloadAttachment: 'download file',
  completeTask: 'finish close done',
  restoreTask: 'undelete recover',
  updateTask: 'edit change move reorder assign',
  createTask: 'create task add task subtask',
  listTasks: 'search tasks filter tasks',
  createTimeEntry: 'start timer track time',
  updateTimeEntry: 'stop timer',
  listMembers: 'users people team',
  getMe: 'whoami current user',
  listEvents: 'event log sync polling',
  getEventPosition: 'newest event last sequence latest',

  '/docs/guides/quickstart': 'getting started first request',
  '/docs/guides/authentication': 'api key bearer token login',
  '/docs/guides/oauth': 'pkce authorization code access token',
  '/docs/guides/oauth#refresh': 'refresh token',
  '/docs/guides/permissions': 'roles scopes access',
  '/docs/guides/mcp': 'model context protocol ai assistant llm claude cursor codex chatgpt',
  '/docs/guides/requests#partial-updates': 'merge patch null',
  '/docs/guides/requests#bulk': 'batch',
  '/docs/guides/custom-fields#create-or-update': 'upsert sync import',
  '/docs/guides/requests#dry-run': 'dry_run validate preview',
  '/docs/guides/lists': 'filtering sorting',
  '/docs/guides/lists#page-through-a-list':
    'pagination paginate paging cursor next_cursor has_more',
  '/docs/guides/lists#sort': 'order by sorting',
  '/docs/guides/errors': 'error codes status codes',
  '/docs/guides/errors#what-to-retry': 'retry backoff 5xx 500 503',
  '/docs/guides/rate-limits': 'rate limit throttling quota',
  '/docs/guides/rate-limits#when-you-exceed-the-limit': '429 too many requests retry-after',
  '/docs/guides/idempotency': 'idempotency key idempotency-key',
  '/docs/guides/idempotency#do-not-overwrite-others':
    'etag if-match 412 optimistic concurrency lost update conflict',
  '/docs/guides/idempotency#do-not-fetch-again': 'etag if-none-match 304 cache',
  '/docs/guides/verify-webhooks': 'webhook signature hmac signature verification standard webhooks',
  '/docs/guides/webhooks#retries': 'retry schedule backoff',
  '/docs/guides/webhooks#allowed-addresses': 'ssrf localhost private ip',
  '/docs/guides/webhooks#catch-up': 'missed events outage',
  '/docs/guides/keep-a-copy':
    'mirror replica replicate synchronize sync incremental delta changes feed',
  '/docs/guides/keep-a-copy#follow-changes': 'long poll server-sent events sse stream',
  '/docs/guides/undo': 'redo revert operation history trash restore X-Operation-Id',
  '/docs/guides/recurrence': 'rrule repeat recurring tasks',
  '/docs/guides/files': 'upload download attachments',
  '/docs/guides/browsers': 'cors cross-origin',
}

/**
 * A place that the search of the docs finds. What it is called elsewhere are its `keywords`, which
 * count almost as much as its title; `words` are what its text mentions.
 */
interface SearchEntry {
  readonly title: string
  readonly page: string
  readonly href: string
  readonly keywords?: string | undefined
  readonly words: string
}

/** All guides with their headings, the operations and records of the API, and the error codes. */
export function createSearchIndex(
  guides: readonly GuideContent[],
  openapi: OpenApiDocument,
): SearchEntry[] {
  const context = createReferenceContext(openapi)
  return [
    ...guides
      .flatMap(guideEntries)
      .map((entry) => ({ ...entry, keywords: SEARCH_KEYWORDS[entry.href] })),
    ...listCalls(openapi).map((call) => operationEntry(context, call)),
    ...[...groupRecordsByTag(openapi).values()].flat().map((name) => recordEntry(context, name)),
    ...errorEntries(),
  ]
}

function guideEntries({ slug, title, summary, sections }: GuideContent): SearchEntry[] {
  const path = guidePath(slug)
  return [
    { title, page: 'Guide', href: path, words: summary },
    ...sections.flatMap((section) => [
      {
        title: section.title,
        page: title,
        href: `${path}#${section.id}`,
        words: section.words.join(' '),
      },
      ...section.subheadings.map((heading) => ({
        title: heading.title,
        page: title,
        href: `${path}#${heading.id}`,
        words: section.title,
      })),
    ]),
  ]
}

function operationEntry(context: ReferenceContext, call: OperationCall): SearchEntry {
  const { method, path, operation } = call
  const { operationId, summary, parameters = [], requestBody, responses } = operation
  const body = jsonSchema(requestBody?.content)
  const replies = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const replyNames = replies.map(([, { content }]) => refName(jsonSchema(content)))
  return {
    title: summary,
    page: 'Reference',
    href: `/docs#${operationAnchor(operation)}`,
    keywords: joinWords([
      SEARCH_KEYWORDS[operationId],
      operationId,
      method,
      path.replace('/api/v1', ''),
      path,
      refName(body),
    ]),
    words: joinWords([
      ...parameters.map(({ name }) => name),
      ...fieldNames(context, body),
      ...listSchemaNames(context.openapi, body),
      ...replyNames,
    ]),
  }
}

function recordEntry(context: ReferenceContext, name: string): SearchEntry {
  const schema = context.openapi.components?.schemas?.[name] ?? {}
  return {
    title: name,
    page: 'Record',
    href: `/docs#${recordAnchor(name)}`,
    keywords: joinWords(fieldNames(context, schema)),
    words: joinWords(listSchemaNames(context.openapi, schema)),
  }
}

function errorEntries(): SearchEntry[] {
  const codes = ERROR_CODES.map(({ code, status, meaning }) => [code, `${status} ${meaning}`])
  return [...codes, ...Object.entries(FIELD_CODE_MEANINGS)].map(([code = '', meaning]) => ({
    title: code,
    page: 'Error codes',
    href: `/docs/errors#${code}`,
    words: `${code.replaceAll('_', ' ')} ${meaning}`,
  }))
}

const jsonSchema = (content: OpenApiContent = {}): OpenApiSchema =>
  content['application/json']?.schema ?? {}

const fieldNames = (context: ReferenceContext, schema: OpenApiSchema) =>
  listSchemaFields(context, schema).map(({ name }) => name)

/** The names of the schemas that a schema refers to, directly or through others. */
function listSchemaNames(
  openapi: OpenApiDocument,
  schema: OpenApiSchema,
  names = new Set<string>(),
): string[] {
  const name = refName(schema)
  if (name !== undefined && names.has(name)) return []
  if (name !== undefined) names.add(name)
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = resolveRef(openapi, schema)
  const parts = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf]
  for (const part of items ? [...parts, items] : parts) listSchemaNames(openapi, part, names)
  return [...names]
}

const joinWords = (words: readonly (string | undefined)[]) =>
  [...new Set(words.filter((word) => word !== undefined))].join(' ')
