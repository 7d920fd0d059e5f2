import { type Html, html } from '../html/html.ts'
import type { OperationCall } from '../openapi/operations.ts'

/**
 * The button that opens the form of an operation. Its script creates the form when it is first
 * opened, from the OpenAPI document: forms for all operations would be most of the page.
 */
export const requestForm = ({ operation: { operationId, summary } }: OperationCall): Html =>
  html`<div class="in try"><button class="btn" type="button" data-operation="${operationId}" aria-expanded="false" aria-label="Try it: ${summary}">Try it</button></div>`
