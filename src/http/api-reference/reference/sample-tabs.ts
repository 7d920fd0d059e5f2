import { codeBlock } from '../html/code-block.ts'
import { type Html, html } from '../html/html.ts'
import type { OperationCall } from '../openapi/operations.ts'
import { SAMPLE_LANGUAGES } from '../samples/sample-languages.ts'
import { createSampleRequest } from '../samples/sample-request.ts'

/**
 * The request of an operation in each language. Without JavaScript the languages are a list of
 * which the first one is open; the script of the page makes tabs of it.
 */
export function sampleTabs(call: OperationCall): Html {
  const request = createSampleRequest(call)
  if (!request) return html``
  const { operationId } = call.operation
  return html`<div class="samples" id="samples-${operationId}" aria-label="Language">${SAMPLE_LANGUAGES.map(
    ({ id, name, write }, at) =>
      html`<details data-language="${id}"${at === 0 && html` open`}><summary>${name}</summary>${codeBlock(
        write(request),
        `${operationId} in ${name}`,
      )}</details>`,
  )}</div>`
}
