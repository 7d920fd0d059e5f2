import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { REPLY_ERROR_CODES } from '#wire/error-code.ts'

/** The part of a schema that has descriptions, or contains schemas that have. */
interface DescribedSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, DescribedSchema>>
  readonly items?: DescribedSchema
  readonly additionalProperties?: boolean | DescribedSchema
  readonly allOf?: readonly DescribedSchema[]
  readonly anyOf?: readonly DescribedSchema[]
  readonly oneOf?: readonly DescribedSchema[]
}

interface Described {
  readonly $ref?: string
  readonly name?: string
  readonly description?: string
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Described[]
  readonly requestBody?: DescribedMessage
  readonly responses: Readonly<Record<string, DescribedMessage>>
}

interface DescribedMessage extends Described {
  readonly content?: Readonly<Record<string, { readonly schema: DescribedSchema }>>
}

interface DescribedDocument {
  readonly tags: readonly Described[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly webhooks: DescribedDocument['paths']
  readonly components: {
    readonly schemas: Readonly<Record<string, DescribedSchema>>
    readonly parameters: Readonly<Record<string, Described>>
    readonly headers: Readonly<Record<string, Described>>
    readonly responses: Readonly<Record<string, DescribedMessage>>
  }
}

async function readDocument(): Promise<DescribedDocument> {
  const { server } = await openTestDocket('sqlite')
  return (await server.inject('/api/v1/openapi.json')).json()
}

const isDescribed = ({ $ref, description }: Described): boolean =>
  $ref !== undefined || (description ?? '').length > 0

/** The paths of all fields below a schema that have no description of their own. */
function findBareFields(schema: DescribedSchema, path: string): string[] {
  const { properties = {}, items, additionalProperties } = schema
  const { allOf = [], anyOf = [], oneOf = [] } = schema
  const inner = [items, additionalProperties, ...allOf, ...anyOf, ...oneOf]
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description ? [] : [`${path}.${name}`]),
      ...findBareFields(field, `${path}.${name}`),
    ]),
    ...inner.flatMap((one) => (typeof one === 'object' ? findBareFields(one, path) : [])),
  ]
}

const findBareContent = ({ content = {} }: DescribedMessage, path: string): string[] =>
  Object.values(content).flatMap(({ schema }) => findBareFields(schema, path))

const listOperations = ({ paths, webhooks }: DescribedDocument): DescribedOperation[] =>
  [paths, webhooks].flatMap((group) => Object.values(group).flatMap((one) => Object.values(one)))

test('every schema of the OpenAPI document and each of its fields has a description', async () => {
  const { schemas } = (await readDocument()).components
  const bare = Object.entries(schemas).flatMap(([name, schema]) => [
    ...(schema.description ? [] : [name]),
    ...findBareFields(schema, name),
  ])
  assert.deepEqual(bare, [])
})

test('every operation has a summary, and its parameters, bodies and replies descriptions', async () => {
  const operations = listOperations(await readDocument())
  assert.ok(operations.length > 40)
  const bare = operations.flatMap((operation) => {
    const { operationId, summary, parameters = [], requestBody = {}, responses } = operation
    return [
      ...(summary ? [] : [operationId]),
      ...parameters.filter((one) => !isDescribed(one)).map(({ name }) => `${operationId} ${name}`),
      ...findBareContent(requestBody, `${operationId} request`),
      ...Object.entries(responses).flatMap(([status, response]) => [
        ...(isDescribed(response) ? [] : [`${operationId} ${status}`]),
        ...findBareContent(response, `${operationId} ${status}`),
      ]),
    ]
  })
  assert.deepEqual(bare, [])
})

test('every shared parameter, header and error reply has a description', async () => {
  const { parameters, headers, responses } = (await readDocument()).components
  const bare = Object.entries({ ...parameters, ...headers, ...responses })
    .filter(([, component]) => !isDescribed(component))
    .map(([name]) => name)
  assert.deepEqual(bare, [])
})

test('the error replies explain every code that a reply can have', async () => {
  const { responses } = (await readDocument()).components
  const text = Object.values(responses)
    .map(({ description }) => description)
    .join('\n')
  const unexplained = REPLY_ERROR_CODES.filter((code) => !text.includes(`\n- \`${code}\`: `))
  assert.deepEqual(unexplained, [])
})

test('every tag of the OpenAPI document has a description', async () => {
  const { tags } = await readDocument()
  assert.ok(tags.length > 10)
  for (const { name, description } of tags) assert.match(description ?? '', /\w.*\.$/, name ?? '')
})
