import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { GUIDES, GUIDES_FOLDER, guidePath } from '#http/api-reference/guides/guide-files.ts'
import { guidePage, renderGuide } from '#http/api-reference/guides/guides.ts'
import { createSearchIndex, SEARCH_KEYWORDS } from '#http/api-reference/guides/search-index.ts'
import { errorsPage } from '#http/api-reference/reference/errors-page.ts'
import { referencePage } from '#http/api-reference/reference/reference-page.ts'
import { describeText } from '#http/api-reference/reference/schema-words.ts'
import type { OpenApiSchema } from '#http/openapi/document-types.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { isTextPattern } from '#http/openapi/schema-converter.ts'
import { packagesPage } from '#http/packages/serve-packages.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes } from '#server/routes.ts'

const BASE_URL = 'https://docket.example.com'
const openapi = JSON.parse(
  JSON.stringify(createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, BASE_URL)),
)
const contents = GUIDES.map((file) => renderGuide(file, BASE_URL))
const pages = new Map<string, string>([
  ...contents.map((guide) => [guidePath(guide.slug), guidePage(guide)] as const),
  ['/docs', await referencePage(openapi)],
  ['/docs/errors', errorsPage()],
  ['/docs/packages', packagesPage([], BASE_URL)],
])
const idsOf = (page: string) => [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

/** Whether a page that is served has the address, with its anchor. */
function leadsSomewhere(href: string, from: string): boolean {
  const [path = '', anchor] = href.split('#')
  const target = pages.get(path === '' ? from : path)
  return target !== undefined && (anchor === undefined || idsOf(target).includes(anchor))
}

test('every link and path of the documents leads somewhere', () => {
  const documents = [
    '*.md',
    'docs/*.md',
    'docs/{spec,guides,decisions}/*.md',
    '{examples/*,sdk,cli,conformance}/README.md',
  ]
  for (const document of globSync(documents)) {
    const text = readFileSync(document, 'utf8')
    for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#\s]*)(#[^)\s]*)?\)/g)) {
      if (/[:{]|^\//.test(target)) continue
      const file = target === '' ? document : join(dirname(document), target)
      assert.ok(existsSync(file), `${document} links to ${file}`)
      if (anchor === undefined) continue
      assert.ok(anchorsOf(file).has(anchor), `${document} links to ${file}${anchor}`)
    }
    for (const [path] of text.matchAll(
      /(?<![\w/.])(?:src|test|web|bench|tools|sdk|cli)\/[\w/.-]+\.ts\b/g,
    )) {
      assert.ok(document === 'CHANGELOG.md' || existsSync(path), `${document} names ${path}`)
    }
  }
})

/** The anchors that a Markdown page has: its headings as GitHub writes them. */
function anchorsOf(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, title = '']) => {
      const words = title.toLowerCase().replace(/[^\p{L}\p{N}\- _]/gu, '')
      return `#${words.replaceAll(' ', '-')}`
    }),
  )
}

test('every link of a page that is served leads somewhere, and its anchors are unique', () => {
  for (const [path, page] of pages) {
    const main = page.slice(page.indexOf('<main'))
    for (const [, href = ''] of main.matchAll(/href="([^"]+)"/g)) {
      if (href.startsWith(BASE_URL) || !/^[/#]/.test(href)) continue
      if (href.startsWith('/docs') || href.startsWith('#'))
        assert.ok(leadsSomewhere(href, path), `${path} links to ${href}`)
    }
    assert.deepEqual(idsOf(page), [...new Set(idsOf(page))], path)
    assert.ok(!page.includes('{{'), `${path} has the address of the installation`)
    assert.ok(
      !/<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/assets\/)/.test(page),
      `the Content-Security-Policy blocks something of ${path}`,
    )
  }
})

test('every file of docs/guides is a guide, with a title, a summary and nested headings', () => {
  const files = globSync('*.md', { cwd: GUIDES_FOLDER }).map((file) => basename(file, '.md'))
  assert.deepEqual(files.toSorted(), GUIDES.map(({ slug }) => slug).toSorted())
  for (const { slug, summary, sections } of contents) {
    const page = pages.get(guidePath(slug)) ?? ''
    assert.equal(page.split('<h1>').length, 2, slug)
    assert.match(summary, /^[A-Z].{20,}[.]$/, slug)
    assert.ok(sections.length > 0, slug)
    const main = page.slice(page.indexOf('<main'))
    const levels = [...main.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
    for (const [at, level] of levels.entries()) assert.ok(level <= (levels[at - 1] ?? 0) + 1, slug)
  }
})

test('the search finds guides, headings, words and error codes, and its links lead somewhere', () => {
  const entries = createSearchIndex(contents, openapi)
  for (const { href } of entries) assert.ok(leadsSomewhere(href, ''), href)
  const poll = entries.filter(({ words }) => words.includes('polling')).map(({ title }) => title)
  assert.deepEqual(poll, ['Stay below the limit'])
  const titles = entries.map(({ title }) => title)
  for (const title of ['Quickstart', 'Retries', 'Scopes', 'TypeScript', 'Task', 'version_mismatch'])
    assert.ok(titles.includes(title), title)
  const targets = entries.map(({ href }) => href.replace('/docs#op-', ''))
  const unknown = Object.keys(SEARCH_KEYWORDS).filter((target) => !targets.includes(target))
  assert.deepEqual(unknown, [])
})

test('text and code of a guide are escaped, and HTML is refused', () => {
  const file = { slug: 'x', title: 'X', summary: 'Y.' }
  const markdown = '# X\n\nY.\n\n## A & B\n\n`<b>` and "{{base_url}}"\n\n```sh\n<i>\n```\n'
  const [section] = renderGuide({ ...file, markdown }, 'http://"><script>').sections
  assert.match(section?.text.html ?? '', /<code>&lt;b&gt;<\/code>/)
  assert.ok(!section?.text.html.includes('<script>'))
  assert.throws(() => renderGuide({ ...file, markdown: '# X\n\nY.\n\n<b>hi</b>\n' }, BASE_URL))
})

const hasPattern = (part: object): part is OpenApiSchema =>
  'pattern' in part && typeof part.pattern === 'string'

/** All schemas with a pattern in a part of the document. */
function findPatterns(part: unknown): OpenApiSchema[] {
  if (typeof part !== 'object' || part === null) return []
  return [...(hasPattern(part) ? [part] : []), ...Object.values(part).flatMap(findPatterns)]
}

test('the reference describes the form of every text in words, and names no type that it does not explain', () => {
  const schemas = findPatterns(openapi)
  assert.ok(schemas.length > 100)
  for (const { pattern, ...schema } of schemas) {
    const isDescribed = describeText({ ...schema, pattern }) !== 'string'
    assert.ok(isTextPattern(pattern ?? '') || isDescribed, `no words for ${pattern}`)
  }
  const page = pages.get('/docs') ?? ''
  assert.ok(!/[\^]\[|\]\*\$/.test(page))
  // A name without a link would be one that the page explains nowhere.
  assert.ok(!/class="kind">(?:array of )?[A-Z]\w+</.test(page))
})
