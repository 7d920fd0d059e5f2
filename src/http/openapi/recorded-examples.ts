import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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

export interface ExampleResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or the text of a downloaded file. Absent if the reply has no body. */
  readonly body?: unknown
}

/** The origin of all URLs in the examples, for readers that replace it with their own. */
export const EXAMPLE_BASE_URL = 'https://docket.example.com'

/** `npx node tools/record-examples.ts` writes these files; test/http checks that they are true. */
export const EXAMPLES_FOLDER = join(import.meta.dirname, 'examples')

let operations: Readonly<Record<string, RecordedExample>> | undefined
let events: Readonly<Record<string, object>> | undefined

/** The example of an endpoint, whose path is written as in its contract: `/api/v1/tasks/:id`. */
export function exampleOf(method: string, path: string): RecordedExample | undefined {
  operations ??= readOperations()
  return operations[`${method} ${path}`]
}

/** A complete event of a type, such as `task.created` or `webhook.test`, as webhooks receive it. */
export function eventExampleOf(type: string): object | undefined {
  events ??= JSON.parse(readFileSync(join(EXAMPLES_FOLDER, 'events.json'), 'utf8')) as Record<
    string,
    object
  >
  return events[type]
}

/** One file for each resource, read on first use, so that they do not slow down the start. */
function readOperations(): Record<string, RecordedExample> {
  const folder = join(EXAMPLES_FOLDER, 'operations')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return Object.assign({}, ...files.map((text): unknown => JSON.parse(text)))
}
