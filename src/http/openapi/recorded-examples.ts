import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDES } from '../api-reference/guides/guide-files.ts'

/**
 * A request and its reply, as a real server answered it. Ids, secrets and times are replaced by
 * constant ones, so that a new recording differs only where the API does.
 */
export interface RecordedExample {
  readonly request: ExampleRequest
  readonly response: ExampleResponse
}

/** A request as a client writes it; values of the query are typed, and lists are arrays. */
export interface ExampleRequest {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Headers of this endpoint; `Authorization` is left out, because every request has it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Parsed JSON, or the text of an uploaded file. Absent if the request has no body. */
  readonly body?: unknown
}

interface ExampleResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or the text of a downloaded file. Absent if the reply has no body. */
  readonly body?: unknown
}

/** The origin of all URLs in the examples, for readers that replace it with their own. */
export const EXAMPLE_BASE_URL = 'https://docket.example.com'

/** `npx node tools/record-examples.ts` writes these files; test/http checks that they are true. */
export const EXAMPLES_FOLDER = join(import.meta.dirname, 'examples')

/** The code blocks of a guide that are JSON. */
export const JSON_SAMPLES = /(?<=^```json\n)[\s\S]*?(?=^```$)/gm

let operations: Readonly<Record<string, RecordedExample>> | undefined
let events: ReadonlyMap<string, object> | undefined

/** The example of an endpoint, whose path is written as in its contract: `/api/v1/tasks/:id`. */
export function exampleOf(method: string, path: string): RecordedExample | undefined {
  operations ??= readOperations()
  return operations[`${method} ${path}`]
}

/**
 * A complete event of a type, such as `task.created` or `webhook.test`, as webhooks receive it: the
 * sample of the guide to event types.
 */
export function eventExampleOf(type: string): object | undefined {
  events ??= new Map(readEvents().map((event) => [event.type, event]))
  return events.get(type)
}

/** One file for each resource, read on first use, so that they do not slow down the start. */
function readOperations(): Record<string, RecordedExample> {
  const folder = join(EXAMPLES_FOLDER, 'operations')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return Object.assign({}, ...files.map((text): unknown => JSON.parse(text)))
}

function readEvents(): { type: string }[] {
  const guide = GUIDES.find(({ slug }) => slug === 'event-types')?.markdown ?? ''
  const samples = guide.replaceAll('{{base_url}}', EXAMPLE_BASE_URL).matchAll(JSON_SAMPLES)
  return [...samples].map(([sample]) => JSON.parse(sample))
}
