import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { signatureOf } from '#delivery/sign.ts'
import { pageAssets } from './assets.ts'
import { homePage } from './home.ts'
import { notFoundPage } from './missing.ts'

const home = homePage({ base_url: 'https://docket.example.com', name: 'Halden <Docket>' })

test('the home page says what this is and where to go', () => {
  for (const part of [
    'Halden &lt;Docket&gt;</a>',
    'Numbered work, an honest API.',
    'https://docket.example.com/api/v1/tasks',
    'href="/sign-in"',
    'href="/docs"',
    'href="/api/v1/openapi.json"',
    'workspace create',
  ]) {
    assert.ok(home.includes(part), part)
  }
})

test('the home page with its styles and script travels in at most 40 kB', () => {
  const sent = [home, ...['pages.css', 'pages.js'].map((name) => pageAssets.get(name)?.body ?? '')]
  const sizes = sent.map((body) => gzipSync(body).length)
  assert.ok(Math.min(...sizes) > 500)
  assert.ok(sizes.reduce((sum, size) => sum + size) < 40_000, String(sizes))
})

test('the signature on the home page is that which Docket would send', () => {
  const field = (id: string) =>
    home.match(`id="${id}" value="([^"]+)"`)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const signature = signatureOf(field('body'), field('secret'))
  assert.ok(home.includes(`sha256=<i id="signature">${signature.slice('sha256='.length)}</i>`))
})

test('an address is escaped wherever it is shown', () => {
  const page = homePage({ base_url: 'http://"><script>', name: 'Docket' })
  assert.ok(!page.includes('"><script>'))
  assert.ok(page.includes('&gt;&lt;script&gt;/api/v1'))
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
