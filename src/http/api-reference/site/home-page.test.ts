import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signBody } from '#webhooks/attempts.ts'
import { pageAssets } from '../assets/page-assets.ts'
import { homePage } from './home-page.ts'
import { statusPage } from './message-pages.ts'

const team = homePage('https://docket.example.com')

test('the example signature equals the one that Docket would send', () => {
  const field = (id: string) =>
    team.match(`id="${id}" value="([^"]+)"`)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const signature = signBody(field('body'), field('secret'))
  assert.ok(team.includes(`sha256=<i id="signature">${signature.slice('sha256='.length)}</i>`))
})

test('escapes the base URL', () => {
  const page = homePage('http://"><script>')
  assert.ok(!page.includes('"><script>'))
  assert.ok(page.includes('&gt;&lt;script&gt;/api/v1'))
})

test('the status page says in words whether the server is ready', () => {
  const version = '1.2.3'
  const ready = statusPage({ isServing: true, isDatabaseReady: true, version })
  assert.match(ready, /Docket is ready[\s\S]+version 1\.2\.3/)
  const broken = statusPage({ isServing: false, isDatabaseReady: false, version })
  assert.match(broken, /Docket is not ready[\s\S]+database does not answer/)
  const stopping = statusPage({ isServing: false, isDatabaseReady: true, version })
  assert.match(stopping, /Docket is not ready[\s\S]+starting or shutting down/)
})

test('serves all assets that pages and styles request, with their licences', () => {
  const styles = String(pageAssets.get('pages.css')?.body)
  const requestedAssets = [
    ...[...team.matchAll(/\/docs\/assets\/([\w.-]+)/g)].map(([, name = '']) => name),
    ...[...styles.matchAll(/url\(['"]?([^'")]+)/g)].map(([, name = '']) => name),
    'OFL.txt',
  ]
  assert.ok(requestedAssets.length >= 7)
  for (const name of requestedAssets)
    assert.ok((pageAssets.get(name)?.body.length ?? 0) > 100, name)
  assert.equal(pageAssets.get('newsreader-500.woff2')?.type, 'font/woff2')
})
