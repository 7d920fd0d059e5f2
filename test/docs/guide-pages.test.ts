import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { errorsPage } from '#http/api-reference/errors/errors-page.ts'
import { GUIDES, GUIDES_FOLDER, guidePath } from '#http/api-reference/guides/guide-files.ts'
import { guidePage, renderGuide } from '#http/api-reference/guides/guides.ts'
import { headingId } from '#http/api-reference/guides/markdown-renderer.ts'
import { createSearchIndex, SEARCH_KEYWORDS } from '#http/api-reference/guides/search-index.ts'
import { referencePage } from '#http/api-reference/reference/reference-page.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { packagesPage } from '#http/packages/serve-packages.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'

const BASE_URL = 'https://docket.example.com'
const openapi = JSON.parse(
  JSON.stringify(createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, BASE_URL)),
)

const contents = GUIDES.map((file) => renderGuide(file, BASE_URL))
const pages = new Map<string, string>([
  ...contents.map((guide) => [guidePath(guide.slug), guidePage(guide)] as const),
  ['/docs', referencePage(openapi)],
  ['/docs/errors', errorsPage()],
  ['/docs/packages', packagesPage([], BASE_URL)],
])
const guides = contents.map(({ slug }) => [slug, pages.get(guidePath(slug)) ?? ''] as const)

const idsOf = (page: string) => [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

test('every file of docs/guides is a guide', () => {
  const files = globSync('*.md', { cwd: GUIDES_FOLDER }).map((file) => basename(file, '.md'))
  assert.deepEqual(files.toSorted(), GUIDES.map(({ slug }) => slug).toSorted())
})

for (const [slug, page] of guides) {
  test(`the guide ${slug} has one title, a summary, nested headings and unique anchors`, () => {
    assert.equal(page.split('<h1>').length, 2)
    const guide = contents.find((one) => one.slug === slug)
    assert.match(guide?.summary ?? '', /^[A-Z].{20,}[.]$/)
    assert.ok((guide?.sections.length ?? 0) > 0)
    const main = page.slice(page.indexOf('<main'))
    const levels = [...main.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
    for (const [at, level] of levels.entries()) assert.ok(level <= (levels[at - 1] ?? 0) + 1)
    const ids = idsOf(page)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  test(`the guide ${slug} contains nothing that the Content-Security-Policy blocks`, () => {
    assert.ok(!/<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/assets\/)/.test(page))
  })

  test(`every link of the guide ${slug} leads somewhere`, () => {
    const main = page.slice(page.indexOf('<main'))
    for (const [, href = ''] of main.matchAll(/href="([^"]+)"/g)) {
      if (href.startsWith(BASE_URL) || !/^[/#]/.test(href)) continue
      const [path = '', anchor] = href.split('#')
      const target = pages.get(path === '' ? guidePath(slug) : path)
      assert.ok(target !== undefined, `${slug} links to ${href}`)
      if (anchor !== undefined)
        assert.ok(idsOf(target).includes(anchor), `${slug} links to ${href}`)
    }
    const source = GUIDES.find((one) => one.slug === slug)?.markdown ?? ''
    for (const [, file = ''] of source.matchAll(/\]\((\.\.\/[^)#]+)\)/g)) {
      assert.equal(globSync(join(GUIDES_FOLDER, file)).length, 1, `${slug} links to ${file}`)
    }
  })

  test(`the guide ${slug} shows the address of this installation`, () => {
    assert.ok(!page.includes('{{'))
  })
}

test('the page at /docs keeps the anchors of the chapters that became guides', () => {
  const ids = idsOf(pages.get('/docs') ?? '')
  const former = ['start', 'authentication', 'oauth', 'records', 'lists', 'errors', 'rate-limits']
  const more = ['idempotency', 'conditional-requests', 'dry-run', 'events']
  for (const id of [...former, ...more]) assert.ok(ids.includes(id), id)
})

test('the search index has guides, headings, words and error codes, and its links lead somewhere', () => {
  const entries = createSearchIndex(contents, openapi)
  for (const { href } of entries) {
    const [path = '', anchor] = href.split('#')
    const page = pages.get(path)
    assert.ok(page !== undefined, href)
    if (anchor !== undefined) assert.ok(idsOf(page).includes(anchor), href)
  }
  const poll = entries.filter(({ words }) => words.includes('polling')).map(({ title }) => title)
  assert.deepEqual(poll, ['Stay below the limit'])
  const titles = entries.map(({ title }) => title)
  for (const title of ['Quickstart', 'Retries', 'Scopes', 'TypeScript', 'Task', 'version_mismatch'])
    assert.ok(titles.includes(title), title)
})

test('all keywords of the search belong to a guide or an operation', () => {
  const entries = createSearchIndex(contents, openapi)
  const targets = entries.map(({ href }) => href.replace('/docs#op-', ''))
  const unknown = Object.keys(SEARCH_KEYWORDS).filter((target) => !targets.includes(target))
  assert.deepEqual(unknown, [])
})

test('text and code of a guide are escaped, and HTML is refused', () => {
  const file = { slug: 'x', title: 'X', summary: 'Y.' }
  const markdown = '# X\n\nY.\n\n## A & B\n\n`<b>` and "{{base_url}}"\n\n```sh\n<i>\n```\n'
  const [section] = renderGuide({ ...file, markdown }, 'http://"><script>').sections
  assert.equal(section?.id, headingId('A & B'))
  assert.match(section?.text.html ?? '', /<code>&lt;b&gt;<\/code>/)
  assert.ok(!section?.text.html.includes('<script>'))
  assert.throws(() => renderGuide({ ...file, markdown: '# X\n\nY.\n\n<b>hi</b>\n' }, BASE_URL))
})
