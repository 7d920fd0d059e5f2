import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE_HEADERS, pageAssets } from './assets.ts'
import { homePage, notFoundPage } from './home.ts'

const home = homePage({ base_url: 'https://docket.example.com' })

test('the home page says that Docket runs and where to go', () => {
  for (const part of [
    'Docket is running.',
    'https://docket.example.com/api/v1/tasks',
    'href="/docs"',
    'href="/api/v1/openapi.json"',
    'workspace create',
  ]) {
    assert.ok(home.includes(part), part)
  }
})

test('an address is escaped wherever it is shown', () => {
  const page = homePage({ base_url: 'http://"><script>' })
  assert.ok(!page.includes('"><script>'))
  assert.ok(page.includes('http://&quot;&gt;&lt;script&gt;'))
})

test('the page of what is not there says 404 and leads home', () => {
  assert.match(notFoundPage(), /404[\s\S]+nothing here[\s\S]+href="\/"/)
})

test('all that pages and styles ask for is served, with its licence', () => {
  const styles = String(pageAssets.get('pages.css')?.body)
  const asked = [
    ...[...home.matchAll(/\/docs\/assets\/([\w.-]+)/g)].map(([, name = '']) => name),
    ...[...styles.matchAll(/url\(['"]?([^'")]+)/g)].map(([, name = '']) => name),
    'OFL.txt',
  ]
  assert.ok(asked.length >= 7)
  for (const name of asked) assert.ok((pageAssets.get(name)?.body.length ?? 0) > 100, name)
  assert.equal(pageAssets.get('newsreader-500.woff2')?.type, 'font/woff2')
})

test('the order of the layers is said before any of them is filled', () => {
  const styles = String(pageAssets.get('pages.css')?.body)
  assert.match(
    styles.slice(0, styles.indexOf('{')),
    /@layer reset, tokens, base, parts, screens, modes;/,
  )
})

test('nothing is loaded from elsewhere and nothing written into a page is run', () => {
  const policy = PAGE_HEADERS['content-security-policy']
  assert.match(policy, /^default-src 'none'; /)
  assert.ok(!/unsafe|https?:|\*/.test(policy))
  assert.equal(PAGE_HEADERS['x-content-type-options'], 'nosniff')
})
