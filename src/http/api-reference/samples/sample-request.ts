import type { ExampleRequest } from '../../openapi/recorded-examples.ts'
import type { OperationCall } from '../openapi/operations.ts'
import { findExample } from './find-example.ts'
import { type IdVariable, storedVariable, withIdVariables } from './id-variables.ts'

/**
 * A request of the reference, from which the samples of all languages are written. The samples of
 * the page work one after another, from top to bottom, in a new demo workspace: ids are variables
 * such as `$TASK_ID`, which an earlier sample has set.
 */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string
  /** The path and the query, encoded, with variables: `/api/v1/tasks/$TASK_ID`. */
  readonly target: string
  /** Without `Authorization`, which all requests have. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: SampleBody | undefined
  /** The status of its reply. */
  readonly status: number
  readonly replyType: 'json' | 'text' | 'none'
  /** The variable that gets the id of the first record in the reply. */
  readonly stores?: IdVariable | undefined
}

/** A body of JSON, in which texts may contain variables, or the text of a file. */
export type SampleBody =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'text'; readonly value: string }

/** The request of the recorded example of an operation, or undefined if it has none. */
export function createSampleRequest(call: OperationCall): SampleRequest | undefined {
  const example = findExample(call)
  if (!example) return undefined
  const { path, method, operation } = call
  const { request, response } = example
  const body = createBody(operation.operationId, request)
  const contentType = body?.type === 'json' ? 'application/json' : request.headers?.['Content-Type']
  return {
    method: method.toUpperCase(),
    target: createTarget(path, request),
    headers: contentType === undefined ? {} : { 'Content-Type': contentType },
    body,
    status: response.status,
    replyType: replyTypeOf(response.body),
    stores: storedVariable(operation.operationId),
  }
}

function createTarget(path: string, { path: values, query }: ExampleRequest): string {
  const filledIn = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    withIdVariables(values[name] ?? ''),
  )
  const parameters = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeQueryValue(withIdVariables(String(value)))}`,
  )
  return parameters.length === 0 ? filledIn : `${filledIn}?${parameters.join('&')}`
}

/** Commas and variables stay readable. */
const encodeQueryValue = (value: string) =>
  encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%24', '$')

/**
 * Fields of the examples that samples leave out: the tag has been deleted by an earlier sample, and
 * time is better logged today than on a day in the calendar of the examples.
 */
const OMITTED_FIELDS: Readonly<Record<string, string>> = {
  createTask: 'tag_ids',
  createTimeEntry: 'spent_on',
}

function createBody(operationId: string, { body }: ExampleRequest): SampleBody | undefined {
  if (body === undefined) return undefined
  if (typeof body === 'string') return { type: 'text', value: body }
  const { [OMITTED_FIELDS[operationId] ?? '']: _, ...value } = { ...Object(body) }
  return { type: 'json', value: JSON.parse(withIdVariables(JSON.stringify(value))) }
}

function replyTypeOf(body: unknown): SampleRequest['replyType'] {
  if (body === undefined) return 'none'
  return typeof body === 'string' ? 'text' : 'json'
}
