import { nextTurn } from '#lib/turns.ts'
import { listCalls, type OpenApiDocument } from '../openapi/document-types.ts'
import { ERRORS_MARKDOWN } from './error-codes.ts'
import { GUIDE_GROUPS, GUIDES, guidePath } from './guides/guide-files.ts'
import { guidePage, renderGuide } from './guides/guides.ts'
import { createSearchIndex } from './guides/search-index.ts'
import { errorsPage } from './reference/errors-page.ts'
import { operationMarkdown } from './reference/operation-markdown.ts'
import { createReferenceContext } from './reference/records.ts'
import { operationPage, operationPath, referencePage } from './reference/reference-page.ts'

/**
 * Renders the page of the docs at a path: HTML, Markdown where the path ends with `.md`, or the search index.
 * Undefined if there is none. It loads the Markdown parser, which a server whose docs nobody reads does not need.
 */
export function renderDocsPage(
  path: string,
  openapi: OpenApiDocument,
  baseUrl: string,
): string | Promise<string> | undefined {
  if (path === '/docs') return referencePage(openapi)
  if (path === '/docs/errors') return errorsPage()
  if (path === '/docs/errors.md') return ERRORS_MARKDOWN.replaceAll('](guides/', '](/docs/guides/')
  if (path === '/docs/search.json') return searchIndex(openapi, baseUrl)
  if (path === '/llms.txt') return llmsText(openapi, baseUrl)
  const page = path.replace(/\.md$/, '')
  const isMarkdown = page !== path
  const guide = GUIDES.find(({ slug }) => guidePath(slug) === page)
  if (guide) {
    return isMarkdown
      ? guide.markdown.replaceAll('{{base_url}}', baseUrl)
      : guidePage(renderGuide(guide, baseUrl))
  }
  const call = listCalls(openapi).find((one) => operationPath(one) === page)
  if (!call) return undefined
  return isMarkdown
    ? operationMarkdown(createReferenceContext(openapi), call)
    : operationPage(openapi, call)
}

async function searchIndex(openapi: OpenApiDocument, baseUrl: string): Promise<string> {
  const guides = []
  for (const file of GUIDES) {
    guides.push(renderGuide(file, baseUrl))
    await nextTurn()
  }
  return JSON.stringify(createSearchIndex(guides, openapi))
}

/** The index of the docs for readers without a browser (llmstxt.org). */
function llmsText(openapi: OpenApiDocument, baseUrl: string): string {
  const link = (text: string, path: string, more: string) =>
    `- [${text}](${baseUrl}${path}): ${more}`
  return [
    `# Docket API\n\n> ${openapi.info.summary ?? openapi.info.title}\n`,
    `Requests go to \`${baseUrl}/api/v1\` with \`Authorization: Bearer <API key>\`.`,
    ...GUIDE_GROUPS.flatMap(({ title, guides }) => [
      `\n## ${title}\n`,
      ...guides.map((guide) => link(guide.title, `${guidePath(guide.slug)}.md`, guide.summary)),
    ]),
    '\n## Operations\n',
    ...listCalls(openapi).map((call) =>
      link(
        call.operation.summary,
        `${operationPath(call)}.md`,
        `\`${call.method.toUpperCase()} ${call.path}\``,
      ),
    ),
    '\n## More\n',
    link('Error codes', '/docs/errors.md', 'what each `error.code` means and how to fix it'),
    link('Packages', '/docs/packages', 'client library, command line and conformance kit for npm'),
    link('OpenAPI document', '/api/v1/openapi.json', 'every operation and schema, in OpenAPI 3.1'),
    '',
  ].join('\n')
}
