import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import type { Route } from '#core/route.ts'
import { ErrorEnvelope } from '#wire/error-schemas.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import { SCOPE_DESCRIPTIONS } from '#wire/scopes.ts'
import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from './document-types.ts'
import { createOperation, describeErrorStatus, explainErrorStatus } from './operation.ts'
import { EXAMPLE_BASE_URL, eventExampleOf } from './recorded-examples.ts'
import { createSchemaConverter, type SchemaConverter } from './schema-converter.ts'

/** Components by kind and name, and references to them by the JSON of what they replace. */
interface SharedComponents {
  parameters: Record<string, object>
  headers: Record<string, object>
  responses: Record<string, object>
}

/**
 * Returns the document as it is served: every header, every error reply and every parameter of
 * several operations is declared once, in the components, and referenced. Throws if two different
 * ones would get the same name.
 */
export function shareComponents(document: OpenApiDocument): object {
  const components: SharedComponents = { parameters: {}, headers: {}, responses: {} }
  const isRepeated = findRepeatedParameters(document)

  function share(kind: keyof SharedComponents, name: string, component: object) {
    if (!isDeepStrictEqual(components[kind][name] ?? component, component)) {
      throw new Error(`Two different ${kind} have the name ${name}`)
    }
    components[kind][name] = component
    return { $ref: `#/components/${kind}/${name}` }
  }

  /** Filters of several resources may have one name: those after the first add that of their resource. */
  function shareParameter(parameter: OpenApiParameter, tag = '') {
    if (!isRepeated(parameter)) return parameter
    const name = parameterName(parameter)
    const isTaken = !isDeepStrictEqual(components.parameters[name] ?? parameter, parameter)
    return share('parameters', isTaken ? toPascalCase(tag) + name : name, parameter)
  }

  const shareHeaders = (headers: Readonly<Record<string, OpenApiHeader>> = {}) =>
    mapValues(headers, (header, name) => share('headers', name.replaceAll('-', ''), header))

  function shareResponse(response: OpenApiResponse, status: string) {
    const shared = {
      ...response,
      ...(response.headers && { headers: shareHeaders(response.headers) }),
    }
    if (/^[23]/.test(status)) return shared
    const { name } = describeErrorStatus(status)
    const explained = { ...shared, description: explainErrorStatus(status) }
    const reference = share('responses', name, explained)
    // The description beside a reference replaces that of the component (OpenAPI 3.1).
    return { ...reference, description: response.description }
  }

  const shareOperation = (operation: OpenApiOperation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((one) => shareParameter(one, operation.tags?.[0])),
    }),
    responses: mapValues(operation.responses, shareResponse),
  })
  // Not what only webhooks have: some generators leave it out, but keep the references to it.
  const paths = mapValues(document.paths, (methods) => mapValues(methods, shareOperation))
  return { ...document, paths, components: { ...document.components, ...components } }
}

/** Which parameters several operations have. */
function findRepeatedParameters({ paths }: OpenApiDocument) {
  const counts = new Map<string, number>()
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return (parameter: OpenApiParameter) => (counts.get(JSON.stringify(parameter)) ?? 0) > 1
}

/** The query parameters that do not filter a list. */
const NO_FILTERS = ['limit', 'cursor', 'dry_run']

/** "TaskId" for the id of a task in a path, "TagIdFilter" in a query, "IfMatchHeader". */
function parameterName({ name, in: place, description = '' }: OpenApiParameter): string {
  const [, noun = ''] = place === 'path' ? (/^The id of the ([a-z ]+)/.exec(description) ?? []) : []
  const isFilter = place === 'query' && !NO_FILTERS.includes(name)
  const suffix = place === 'header' ? 'header' : isFilter ? 'filter' : ''
  return toPascalCase(`${noun} ${name} ${suffix}`)
}

const toPascalCase = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))

/** The schemas of events, and for each kind the record in `data` and when the event is sent. */
export interface EventSchemas {
  readonly envelope: TSchema
  readonly test: TSchema
  readonly kinds: Readonly<Record<EventKind, readonly [record: TSchema, summary: string]>>
}

const DATA_DESCRIPTION = 'The whole record after the operation.'

/** The name of a schema: "TaskCreatedEvent" for `task.created`. */
const eventName = (kind: string) =>
  `${kind.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/**
 * The events as webhooks of the document, by kind. Adds a schema for each kind to the components:
 * that of all events, narrowed to the record of this kind.
 */
function createEventWebhooks(
  { envelope, test, kinds }: EventSchemas,
  converter: SchemaConverter,
): NonNullable<OpenApiDocument['webhooks']> {
  const event = converter.convert(envelope, 'reply')
  for (const [kind, [record]] of Object.entries(kinds)) {
    converter.components[eventName(kind)] = {
      description: `An event of type \`${kind}\`.`,
      allOf: [
        event,
        {
          type: 'object',
          properties: {
            type: { type: 'string', enum: [kind], description: 'The type of the event.' },
            data: { ...converter.convert(record, 'reply'), description: DATA_DESCRIPTION },
          },
        },
      ],
    }
  }
  const webhooks = Object.entries(kinds).map(([kind, [, summary]]) => [
    kind,
    webhook(kind, summary, { $ref: `#/components/schemas/${eventName(kind)}` }),
  ])
  return {
    ...Object.fromEntries(webhooks),
    'webhook.test': webhook(
      'webhook.test',
      'Somebody sent a test event to the webhook.',
      converter.convert(test, 'reply'),
      'Docket sends it to the URL of the webhook that is tested.',
    ),
  }
}

const webhook = (
  kind: string,
  summary: string,
  schema: OpenApiSchema,
  description = SUBSCRIPTION_DESCRIPTION,
) => ({
  post: {
    operationId: `on${eventName(kind)}`,
    summary,
    description: `${description} Verify the signature against the raw body before you use it.`,
    tags: [EVENTS_TAG.name],
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: eventExampleOf(kind) } },
    },
    responses: {
      '2XX': { description: 'Received. Docket retries after any other status but 410.' },
    },
  },
})

const SUBSCRIPTION_DESCRIPTION =
  'Docket sends it to the URL of each webhook whose `events` have this type or `*`.'

const header = (name: string, description: string, ...examples: string[]): OpenApiParameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...(examples.length > 0 && { examples }) },
})

/** Groups the webhooks, apart from the operations on webhooks: generators make a class of each. */
const EVENTS_TAG = {
  name: 'Webhook events',
  description: 'What Docket sends to your webhooks.',
}

/** The headers of a delivery (docs/spec/api.md#webhook-delivery). */
const DELIVERY_HEADERS: readonly OpenApiParameter[] = [
  header(
    'webhook-id',
    'The `id` of the event, the same in all attempts, redeliveries and replays: deduplicate by it.',
  ),
  header(
    'webhook-timestamp',
    'When this attempt was signed, in Unix seconds. Reject old ones.',
    '1772445600',
  ),
  header(
    'webhook-signature',
    'The signatures as Standard Webhooks defines them, separated by spaces: two while a secret is rotated.',
  ),
  header(
    'X-Service-Signature',
    '`sha256=` and the HMAC-SHA256 of the body in lower-case hexadecimal, by the whole secret as text.',
  ),
  {
    ...header(
      'X-Service-Signature-Previous',
      'The same by the previous secret, while a secret is rotated.',
    ),
    required: false,
  },
  header('X-Service-Event', 'The `type` of the event.', 'task.created'),
  header('X-Service-Delivery', 'The `id` of the delivery, the same in all its attempts.'),
  header('X-Service-Attempt', 'The number of this attempt, from 1.', '1'),
]

/**
 * Creates the OpenAPI 3.1 document of the public routes, from the schemas that validate input and
 * from recorded examples, whose URLs become those of this installation.
 */
export function createOpenApiDocument(
  allRoutes: readonly Route[],
  events: EventSchemas,
  baseUrl: string,
): OpenApiDocument {
  const document = describeRoutes(allRoutes, events, baseUrl)
  return JSON.parse(JSON.stringify(document).replaceAll(EXAMPLE_BASE_URL, baseUrl))
}

function describeRoutes(
  allRoutes: readonly Route[],
  events: EventSchemas,
  baseUrl: string,
): OpenApiDocument {
  const routes = allRoutes.filter(({ endpoint }) => endpoint.scope !== 'session')
  const converter = createSchemaConverter()
  converter.convert(ErrorEnvelope, 'reply')
  const operations: Record<string, Record<string, OpenApiOperation>> = {}
  for (const { endpoint } of routes) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const operation = createOperation(endpoint, converter)
    operations[path] = { ...operations[path], [endpoint.method.toLowerCase()]: operation }
  }
  const usedTags = new Set(routes.map(({ endpoint }) => endpoint.tag))
  const content = {
    tags: [
      ...[...usedTags].map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
      EVENTS_TAG,
    ],
    paths: operations,
    webhooks: createEventWebhooks(events, converter),
    components: {
      schemas: sortByName(converter.components),
    },
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docket API',
      version: `1.0.0+${fingerprintOf(content)}`,
      summary: 'Projects, tasks, comments, time, tags, members and webhooks of one workspace.',
      description: API_DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Docs', url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl, description: 'This installation.' }],
    security: [{ apiKey: [] }, { oauth: [] }],
    ...content,
    components: { ...content.components, securitySchemes: securitySchemesOf(baseUrl) },
  }
}

const securitySchemesOf = (baseUrl: string) => ({
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, which people create in the settings of the app.',
  },
  oauth: {
    type: 'oauth2',
    description: 'An access token of an OAuth application.',
    flows: { authorizationCode: authorizationCodeFlow(baseUrl) },
  },
})

const API_DESCRIPTION = `A JSON API. Every request is authenticated by an API key or an access token, which belongs to one person and one workspace.

Replies may get new fields at any time, and fields whose description says so new values: ignore what you do not know. The guides are at \`/docs\`.`

const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Projects: 'Projects contain tasks and tags, and define the statuses of their tasks.',
  Tasks: 'Tasks belong to a project and have a short id, such as `ENG-42`.',
  Comments: 'Comments on tasks, in Markdown, with replies and mentions.',
  'Time entries': 'The time that people spend on tasks, and running timers.',
  Tags: 'Labels of the tasks of a project.',
  Members: 'The people of the workspace.',
  Webhooks: 'Webhooks send events to a URL of yours, signed and with retries.',
  Deliveries: 'Each delivery is one event on its way to one webhook.',
  Events: 'The log of everything that happens in the workspace.',
  Attachments: 'Files of tasks.',
  Operations: 'Every write of the last 30 days, what it changed, and how to undo it.',
  Requests: 'What became of a request, check by check.',
  Changes: 'The feed of changes, from which a copy of the workspace stays up to date.',
  Account: 'Who calls the API, in which workspace and with which credential.',
}

/** Changes with the interface; the address of the installation does not count. */
const fingerprintOf = (content: object) =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 8)

const sortByName = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** How an application obtains an access token (docs/spec/api.md#oauth). */
const authorizationCodeFlow = (baseUrl: string) => ({
  authorizationUrl: baseUrl + OAUTH_PATHS.authorization,
  tokenUrl: baseUrl + OAUTH_PATHS.token,
  refreshUrl: baseUrl + OAUTH_PATHS.token,
  scopes: SCOPE_DESCRIPTIONS,
})
