import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument, OpenApiSchema } from '../../openapi/document-types.ts'
import { createReferenceContext, type ReferenceContext } from './records.ts'
import { describeQueryParameter, describeSchema } from './schema-words.ts'

/** The words without code and links. */
const plain = (words: string) => words.replace(/\[(.*?)\]\(.*?\)/g, '$1').replaceAll('`', '')
const nothing = { type: 'null' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: OpenApiSchema) => ({ 'application/json': { schema } })

const openapi: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Docket', version: 'v1' },
  paths: {
    '/tasks': {
      post: {
        operationId: 'createTask',
        summary: 'Create a task',
        tags: ['Tasks'],
        requestBody: { content: json(ref('TaskCreate')) },
        responses: { 201: { description: 'It was created.', content: json(ref('Task')) } },
      },
    },
  },
  components: {
    schemas: {
      Task: { type: 'object', properties: { title: { type: 'string' } } },
      TaskCreate: { type: 'object', properties: { title: { type: 'string' } } },
      TaskPriority: { type: 'string', enum: ['low', 'high'] },
      Metadata: {
        type: 'object',
        maxProperties: 50,
        additionalProperties: { type: 'string', maxLength: 500 },
      },
    },
  },
}
const context: ReferenceContext = createReferenceContext(openapi)

const LINE = '^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$'
const TEXT = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$'

const CASES: readonly (readonly [OpenApiSchema, string])[] = [
  [{ type: 'string', minLength: 1, maxLength: 500 }, 'string, 1 to 500 characters'],
  [{ type: 'string', minLength: 0, maxLength: 65536 }, 'string, at most 65,536 characters'],
  [{ type: 'string', minLength: 1 }, 'string, at least 1 character'],
  [{ type: 'string', pattern: LINE, maxLength: 50 }, 'string of one line, at most 50 characters'],
  [{ type: 'string', pattern: TEXT }, 'string'],
  [{ type: 'string', pattern: '^usr_[0-9a-z]{26}$' }, 'usr_ id'],
  [{ type: 'string', pattern: '^(me|none|usr_[0-9a-z]{26})$' }, 'me or none or usr_ id'],
  [{ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }, 'color such as #2563eb'],
  [{ type: 'string', examples: ['user', 'app'] }, 'string, such as user, app'],
  [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer, at least 0'],
  [{ anyOf: [ref('TaskPriority'), nothing] }, 'one of low, high, or null'],
  [{ ...ref('TaskPriority'), default: 'low' }, 'one of low, high, default low'],
  [ref('TaskCreate'), 'body of Create a task'],
  [{ type: 'integer', minimum: 0, maximum: 86400 }, 'integer, 0 to 86,400'],
  [{ type: 'integer', minimum: 1 }, 'integer, at least 1'],
  [{ anyOf: [{ type: 'string', format: 'date' }, nothing] }, 'date, or null'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'timestamp, or null'],
  [{ enum: ['low', 'high'], default: 'low' }, 'one of low, high, default low'],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }, nothing] }, 'one of a, b, or null'],
  [
    {
      type: 'array',
      items: { type: 'string', pattern: '^tag_[x]' },
      maxItems: 50,
      uniqueItems: true,
    },
    'array of tag_ ids, at most 50 items, no repeats',
  ],
  [ref('Metadata'), 'object of at most 50 members, each string (at most 500 characters)'],
  [
    { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 20 },
    'array of strings (at most 200 characters), at most 20 items',
  ],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, 'array, each one of a, b'],
  [
    { anyOf: [{ type: 'string', minLength: 1 }, { type: 'boolean' }, nothing] },
    'string (at least 1 character) or boolean, or null',
  ],
  [{}, 'any value'],
]

for (const [schema, words] of CASES) {
  test(`describes a schema as "${words}"`, () => {
    assert.equal(plain(describeSchema(schema, context)), words)
  })
}

test('describes comma-separated query parameters', () => {
  const schema = { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 50 }
  const words = plain(describeQueryParameter(schema, context))
  assert.equal(words, 'one of a, b; several separated by commas, at most 50')
})
