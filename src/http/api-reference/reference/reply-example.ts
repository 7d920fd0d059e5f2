import { EXAMPLE_BASE_URL } from '../../openapi/recorded-examples.ts'
import { codeBlock } from '../html/code-block.ts'
import { type Html, html } from '../html/html.ts'
import type { OperationCall } from '../openapi/operations.ts'
import type { ReferenceContext } from '../openapi/reference-context.ts'
import { findExample } from '../samples/find-example.ts'

/** Headers of every reply, which say nothing about the operation. */
const COMMON_HEADERS = /^X-(?:RateLimit-|Request-Id)/

/** A longer reply is opened by the reader: most of the page would be replies otherwise. */
const MAX_OPEN_LINES = 30

/** A recorded reply: its status, the headers that belong to the operation, and its body. */
export function replyExample({ openapi }: ReferenceContext, call: OperationCall): Html {
  const example = findExample(call)
  if (!example) return html``
  const { status, headers, body } = example.response
  const lines = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers)
      .filter(([name]) => !COMMON_HEADERS.test(name))
      .map(([name, value]) => `${name}: ${value}`),
  ]
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  const shown = (body === undefined ? lines : [...lines, '', text])
    .join('\n')
    .replaceAll(EXAMPLE_BASE_URL, openapi.servers?.[0]?.url ?? EXAMPLE_BASE_URL)
  const isShort = shown.split('\n').length <= MAX_OPEN_LINES
  return html`<details class="reply"${isShort && html` open`}><summary>Example reply <b>${status}</b></summary>${codeBlock(
    shown,
    `Reply of ${call.operation.operationId}`,
  )}</details>`
}
