import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '#resources/deliveries/contract.ts'
import { findScopePreset, SCOPE_RESOURCES, toggleScope } from './api-keys/scope-selection.ts'
import { describeAuditDetails } from './audit/describe-audit-details.ts'
import { parseEmails } from './members/parse-emails.ts'
import { parseUserAgent } from './profile/parse-user-agent.ts'
import { toDeliveryCurlCommand } from './webhooks/delivery-log/delivery-curl-command.ts'
import { findFirstSequenceSince, toSequenceWindows } from './webhooks/delivery-log/event-search.ts'
import { formatWebhookUrl } from './webhooks/format-webhook-url.ts'
import { countSuccesses } from './webhooks/success-rate.ts'
import { findBusiestMinute, roundUpToAxisStep, toUsageSpans } from './workspace/usage-series.ts'

test('toggles single scopes and recognizes a preset', () => {
  assert.deepEqual(toggleScope(['tasks:write'], 'tasks:read'), ['tasks:read', 'tasks:write'])
  assert.deepEqual(toggleScope(['tasks:read', 'tasks:write'], 'tasks:read'), ['tasks:write'])
  assert.deepEqual(SCOPE_RESOURCES.at(-1), { name: 'events', actions: ['read'] })
  const all = SCOPE_RESOURCES.flatMap(({ name, actions }) => actions.map((one) => `${name}:${one}`))
  assert.equal(findScopePreset(all), 'full')
  assert.equal(findScopePreset(all.filter((one) => one.endsWith(':read'))), 'read_only')
  assert.equal(findScopePreset(['tasks:read']), undefined)
})

test('parses each email address of pasted text once, and returns what is none', () => {
  const pasted = 'Mei T. <mei@a.example>, "tomas@a.example";\n MEI@a.example "K, Bo" <bo@a.example>'
  const emails = ['mei@a.example', 'tomas@a.example', 'bo@a.example']
  assert.deepEqual(parseEmails(pasted), { emails, invalid: [] })
  assert.deepEqual(parseEmails('  '), { emails: [], invalid: [] })
  assert.deepEqual(parseEmails('tom@a.example, nonsense, anna@acme a@b@a.example @a.example'), {
    emails: ['tom@a.example'],
    invalid: ['nonsense', 'anna@acme', 'a@b@a.example', '@a.example'],
  })
})

test('recognizes browser and system from the User-Agent', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0'
  assert.deepEqual(parseUserAgent(edge), { browser: 'Edge', system: 'Windows' })
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1'
  assert.deepEqual(parseUserAgent(safari), { browser: 'Safari', system: 'iPhone' })
  assert.deepEqual(parseUserAgent('curl/8'), {})
  assert.deepEqual(parseUserAgent(null), {})
})

test('quotes the curl command of a delivery for a shell and omits headers that curl sets', () => {
  const request = {
    url: "https://a.example/it's",
    headers: { 'Content-Type': 'application/json', 'Content-Length': '3' },
    body: `{"a":"$(rm) 'x'"}`,
  }
  assert.equal(
    toDeliveryCurlCommand(request),
    [
      `curl 'https://a.example/it'\\''s'`,
      `-H 'Content-Type: application/json'`,
      `--data-binary '{"a":"$(rm) '\\''x'\\''"}'`,
    ].join(' \\\n  '),
  )
  assert.equal(formatWebhookUrl('https://a.example/'), 'a.example')
  assert.equal(formatWebhookUrl('https://a.example:8443/in?x=1'), 'a.example:8443/in')
  assert.equal(formatWebhookUrl('none'), 'none')
})

test('counts successes of the last 24 hours, retried deliveries as none and tests not at all', () => {
  const now = 1_000 * 86_400_000
  const ended = (hours: number, status: Delivery['status'], is_test = false) => ({
    status,
    is_test,
    attempt_count: 1,
    created_at: new Date(now - hours * 3_600_000).toISOString(),
    completed_at: new Date(now - hours * 3_600_000).toISOString(),
  })
  const deliveries = [
    ended(1, 'succeeded'),
    ended(2, 'failed'),
    ended(23, 'succeeded'),
    ended(25, 'failed'),
    ended(1, 'succeeded', true),
    { ...ended(1, 'pending'), completed_at: null },
    { ...ended(1, 'pending'), attempt_count: 0, completed_at: null },
    ended(1, 'canceled'),
    ended(26, 'succeeded'),
  ]
  const count = { ok: 2, all: 4, isPartial: false }
  assert.deepEqual(countSuccesses({ data: deliveries, next_cursor: null }, now), count)
  assert.deepEqual(countSuccesses({ data: deliveries, next_cursor: 'more' }, now), count)
  // There were more than the page holds within the 24 hours.
  const data = deliveries.slice(0, 3)
  const three = { ok: 2, all: 3 }
  assert.deepEqual(countSuccesses({ data, next_cursor: 'more' }, now), {
    ...three,
    isPartial: true,
  })
  assert.deepEqual(countSuccesses({ data, next_cursor: null }, now), { ...three, isPartial: false })
})

test('finds the first event since an instant with few reads, none beyond the log', async () => {
  const at = (sequence: number) => new Date(sequence * 1000).toISOString()
  for (const [oldest, newest] of [
    [1, 1],
    [1, 1_000],
    [501, 5_000],
  ] as const) {
    const position = { oldest_sequence: oldest, newest_sequence: newest }
    const instants = [0, oldest, oldest + 1, oldest + 64, newest - 1, newest, newest + 1]
    for (const since of instants) {
      let reads = 0
      const found = await findFirstSequenceSince(position, since * 1000, async (sequence) => {
        reads += 1
        assert.ok(sequence >= oldest && sequence <= newest, `read ${sequence}`)
        return at(sequence)
      })
      const expected = since > newest ? undefined : Math.max(oldest, since)
      assert.equal(found, expected, `${oldest}-${newest} since ${since}`)
      assert.ok(reads < 15, `${reads} reads`)
    }
  }
  const empty = { oldest_sequence: null, newest_sequence: 9 }
  assert.equal(await findFirstSequenceSince(empty, 0, async () => at(1)), undefined)
})

test('covers all sequences with windows of at most one page', () => {
  assert.deepEqual(toSequenceWindows([5, 7, 7, 105], 100), [
    { after: 6, count: 99 },
    { after: 4, count: 1 },
  ])
  assert.deepEqual(toSequenceWindows([], 100), [])
})

test('groups usage of the last 24 hours into spans with the peak of a minute', () => {
  const now = Date.UTC(2026, 2, 12, 10, 7)
  const minute = (ago: number, used: number, refused = 0) => ({
    at: new Date(now - ago * 60_000).toISOString(),
    used,
    refused,
  })
  const minutes = [minute(1_500, 99), minute(8, 3), minute(7, 5, 2), minute(0, 4)]
  const spans = toUsageSpans(minutes, 60, now)
  assert.equal(spans.length, 24)
  assert.deepEqual(spans.at(-1), {
    from: Date.UTC(2026, 2, 12, 10),
    peak: 5,
    sum: 9,
    refused: 2,
  })
  assert.equal(spans.at(-2)?.sum, 3)
  assert.equal(findBusiestMinute(minutes.slice(1))?.used, 5)
  assert.equal(findBusiestMinute([]), undefined)
  assert.deepEqual([0, 1, 4, 16, 51, 500].map(roundUpToAxisStep), [1, 1, 4, 20, 100, 1_000])
})

test('puts details of audit entries into words', () => {
  const names: Record<string, string> = { usr_1: 'Robin', prj_1: 'DOC' }
  const toText = (details: Record<string, unknown>) =>
    describeAuditDetails(details, (id) => names[id] ?? id)
  assert.equal(toText({ role: 'guest', project_ids: ['prj_1'] }), 'role: Guest, projects: DOC')
  assert.equal(toText({ role: 'member', project_ids: [] }), 'role: Member')
  assert.equal(toText({ from: 'usr_1', to: null }), 'Robin → none')
  assert.equal(
    toText({ user_id: 'usr_1', rate_limit: { from: null, to: 5 } }),
    'person: Robin, requests per minute: none → 5',
  )
})
