import { findExample, storedVariable } from '#http/api-reference/samples/samples.ts'
import { listCalls } from '#http/openapi/document-types.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes } from '#server/routes.ts'

/** A sample as the page at /docs shows it. */
export interface PageSample {
  operationId: string
  text: string
  /** The status that its reply should have. */
  status: number
  /** The variable of later samples that its reply sets. */
  stores: ReturnType<typeof storedVariable>
}

let statuses: ReadonlyMap<string, number> | undefined

/** The samples of one of the two ways, in the order of the page. */
export function readPageSamples(page: string, way: 'curl' | 'docket-client'): PageSample[] {
  statuses ??= documentedStatuses()
  const samples = page.matchAll(
    RegExp(`aria-label="(\\w+) with ${way}"><pre><code>([\\s\\S]*?)</code>`, 'g'),
  )
  return [...samples].map(([, operationId = '', code = '']) => {
    return {
      operationId,
      text: toText(code),
      status: statuses?.get(operationId) ?? 0,
      stores: storedVariable(operationId),
    }
  })
}

/** The commands that the page tells to run before the first sample. */
export function readSetUp(page: string): string {
  const [, code = ''] = /Set up your terminal"><pre><code>([\s\S]*?)<\/code>/.exec(page) ?? []
  return toText(code)
}

function documentedStatuses(): Map<string, number> {
  const openapi = createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')
  return new Map(
    listCalls(openapi).map((call) => [
      call.operation.operationId,
      findExample(call)?.response.status ?? 0,
    ]),
  )
}

/** What a reader copies: the text without its highlighting. */
const toText = (code: string) =>
  code
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '')

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
