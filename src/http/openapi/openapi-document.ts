import { createHash } from 'node:crypto'
import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import type { Route } from '#core/route.ts'
import { ErrorEnvelope } from '#wire/error-schemas.ts'
import { SCOPE_DESCRIPTIONS } from '#wire/scopes.ts'
import type { OpenApiDocument, OpenApiOperation } from '../api-reference/openapi/openapi-types.ts'
import { createEventWebhooks, EVENTS_TAG, type EventSchemas } from './event-webhooks.ts'
import { createOperation } from './operation.ts'
import { EXAMPLE_BASE_URL } from './recorded-examples.ts'
import { createSchemaConverter } from './schema-converter.ts'

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
