import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { OpenApiSchema } from '#http/api-reference/openapi/operations.ts'
import { describeText } from '#http/api-reference/openapi/schema-description.ts'
import { referencePage } from '#http/api-reference/reference/reference-page.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { isTextPattern } from '#http/openapi/schema-converter.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'

const openapi = createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')
const page = referencePage(openapi)

const hasPattern = (part: object): part is OpenApiSchema =>
  'pattern' in part && typeof part.pattern === 'string'

/** All schemas with a pattern in a part of the document. */
function findPatterns(part: unknown): OpenApiSchema[] {
  if (typeof part !== 'object' || part === null) return []
  return [...(hasPattern(part) ? [part] : []), ...Object.values(part).flatMap(findPatterns)]
}

test('the reference describes the form of every text in words, never by a regular expression', () => {
  const schemas = findPatterns(openapi)
  assert.ok(schemas.length > 100)
  for (const schema of schemas) {
    const isFreeText = isTextPattern(schema.pattern ?? '')
    assert.ok(
      isFreeText || describeText(schema).html !== 'string',
      `no words for ${schema.pattern}`,
    )
  }
  assert.ok(!/[\^]\[|\]\*\$/.test(page))
})

test('every enum, map and nested object of a body is described where it is used', () => {
  const text = page.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
  for (const part of [
    'one of none, low, medium, high, urgent',
    'operations[op=update].id tsk_ id',
    'operations[op=create].data body of Create a task',
    'recurrence.rrule string, at most 200 characters',
    'page of Task',
  ]) {
    assert.ok(text.replaceAll(' ', '').includes(part.replaceAll(' ', '')), part)
  }
  // A name without a link would be one that the page explains nowhere.
  assert.ok(!/class="kind">(?:array of )?[A-Z]\w+</.test(page))
})

test('every link within the reference leads to a section of it', () => {
  const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
  for (const [, anchor = ''] of page.matchAll(/href="#([^"]+)"/g))
    assert.ok(ids.has(anchor), anchor)
})

test('the reference stays below 100 kB as browsers receive it', () => {
  assert.ok(gzipSync(page).length < 100_000)
})
