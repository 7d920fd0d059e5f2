import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presetOf, RESOURCES, toggled } from './keys/chosen.ts'
import { emailsOf } from './members/emails.ts'
import { deviceOf } from './profile/device.ts'
import { curlOf } from './webhooks/curl.ts'
import { hostOf } from './webhooks/host.ts'
import { firstSince, windowsOf } from './webhooks/log-search.ts'
import { rateOf } from './webhooks/rate.ts'
import { busiest, roundUp, spansOf } from './workspace/series.ts'

test('scopes are chosen one by one, and known as a preset', () => {
  assert.deepEqual(toggled(['tasks:write'], 'tasks:read'), ['tasks:read', 'tasks:write'])
  assert.deepEqual(toggled(['tasks:read', 'tasks:write'], 'tasks:read'), ['tasks:write'])
  assert.deepEqual(RESOURCES.at(-1), { name: 'events', actions: ['read'] })
  const all = RESOURCES.flatMap(({ name, actions }) => actions.map((one) => `${name}:${one}`))
  assert.equal(presetOf(all), 'full')
  assert.equal(presetOf(all.filter((one) => one.endsWith(':read'))), 'read_only')
  assert.equal(presetOf(['tasks:read']), undefined)
})

test('addresses are found in whatever is pasted, each once', () => {
  const pasted = 'Mei <mei@a.example>, "tomas@a.example";\n MEI@a.example and nobody'
  assert.deepEqual(emailsOf(pasted), ['mei@a.example', 'tomas@a.example'])
  assert.deepEqual(emailsOf('  '), [])
})

test('a device is named by what only its browser says', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0'
  assert.deepEqual(deviceOf(edge), { browser: 'Edge', system: 'Windows' })
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1'
  assert.deepEqual(deviceOf(safari), { browser: 'Safari', system: 'iPhone' })
  assert.deepEqual(deviceOf('curl/8'), {})
  assert.deepEqual(deviceOf(null), {})
})

test('a command to send again quotes whatever is in it, and leaves to curl what it sets', () => {
  const request = {
    url: "https://a.example/it's",
    headers: { 'Content-Type': 'application/json', 'Content-Length': '3' },
    body: `{"a":"$(rm) 'x'"}`,
  }
  assert.equal(
    curlOf(request),
    [
      `curl 'https://a.example/it'\\''s'`,
      `-H 'Content-Type: application/json'`,
      `--data-binary '{"a":"$(rm) '\\''x'\\''"}'`,
    ].join(' \\\n  '),
  )
  assert.equal(hostOf('https://a.example/'), 'a.example')
  assert.equal(hostOf('https://a.example:8443/in?x=1'), 'a.example:8443/in')
  assert.equal(hostOf('none'), 'none')
})

test('the share of successes counts what ended within a day, without tests', () => {
  const now = 1_000 * 86_400_000
  const ended = (hours: number, status: 'succeeded' | 'failed' | 'pending', is_test = false) => ({
    ...{ status, is_test },
    completed_at: new Date(now - hours * 3_600_000).toISOString(),
  })
  const deliveries = [
    ended(1, 'succeeded'),
    ended(2, 'failed'),
    ended(23, 'succeeded'),
    ended(25, 'failed'),
    ended(1, 'succeeded', true),
    { status: 'pending' as const, is_test: false, completed_at: null },
  ]
  assert.deepEqual(rateOf(deliveries, now), { ok: 2, all: 3 })
})

test('the first event since an instant is found with few reads, wherever it is', async () => {
  const at = (sequence: number) => new Date(sequence * 1000).toISOString()
  for (const [oldest, newest] of [
    [1, 1],
    [1, 1_000],
    [501, 5_000],
  ] as const) {
    for (const since of [0, oldest, oldest + 1, oldest + 63, oldest + 64, newest - 1, newest]) {
      if (since > newest) continue
      let reads = 0
      const found = await firstSince(
        { sequence: oldest, timestamp: at(oldest) },
        since * 1000,
        async (after) => {
          reads += 1
          const sequence = after + 1
          return sequence > newest ? undefined : { sequence, timestamp: at(sequence) }
        },
      )
      assert.equal(found?.sequence, Math.max(oldest, since), `${oldest}-${newest} since ${since}`)
      assert.ok(reads < 30, `${reads} reads`)
    }
  }
  assert.equal(await firstSince(undefined, 0, async () => undefined), undefined)
  const first = { sequence: 1, timestamp: at(1) }
  assert.equal(await firstSince(first, 9_000, async () => undefined), undefined)
})

test('windows cover all sequences, and none is wider than a page', () => {
  assert.deepEqual(windowsOf([5, 7, 7, 105], 100), [
    { after: 6, count: 99 },
    { after: 4, count: 1 },
  ])
  assert.deepEqual(windowsOf([], 100), [])
})

test('usage is told in stretches of the last day, with the most of a minute', () => {
  const now = Date.UTC(2026, 2, 12, 10, 7)
  const minute = (ago: number, used: number, refused = 0) => ({
    at: new Date(now - ago * 60_000).toISOString(),
    ...{ used, refused },
  })
  const minutes = [minute(1_500, 99), minute(8, 3), minute(7, 5, 2), minute(0, 4)]
  const spans = spansOf(minutes, 60, now)
  assert.equal(spans.length, 24)
  assert.deepEqual(spans.at(-1), {
    ...{ from: Date.UTC(2026, 2, 12, 10), peak: 5, sum: 9, refused: 2 },
  })
  assert.equal(spans.at(-2)?.sum, 3)
  assert.equal(busiest(minutes.slice(1))?.used, 5)
  assert.equal(busiest([]), undefined)
  assert.deepEqual([0, 1, 4, 16, 51, 500].map(roundUp), [1, 1, 5, 20, 100, 500])
})
