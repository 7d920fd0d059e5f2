import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { areAddressesAllowed, limitLookups, parseDestination } from './sender.ts'

const STRICT = { loopback: false, networks: [] }

test('allows http only to the networks of the settings, and never another protocol', () => {
  const url = 'http://hooks.example/'
  assert.equal(parseDestination(url, STRICT), undefined)
  const inner = parseDestination(url, { ...STRICT, networks: ['10.1.0.0/16'] }) ?? assert.fail()
  assert.ok(areAddressesAllowed(['10.1.2.3'], inner.reachable))
  assert.equal(areAddressesAllowed(['10.1.2.3', '8.8.8.8'], inner.reachable), false)
  assert.ok(parseDestination(url, { ...STRICT, loopback: true }))
  const all = { loopback: true, networks: ['0.0.0.0/0', '::/0'] }
  for (const odd of ['ftp://hooks.example/', 'ws://8.8.8.8/', 'file:///etc', 'data:,x', '', 'x']) {
    assert.equal(parseDestination(odd, all), undefined, odd)
  }
})

test('checks addresses against the current settings', () => {
  const url = 'https://10.1.2.3/'
  assert.equal(parseDestination(url, STRICT), undefined)
  assert.deepEqual(parseDestination(url, { ...STRICT, networks: ['10.1.0.0/16'] })?.addresses, [
    '10.1.2.3',
  ])
  const loopback = parseDestination('https://localhost/', { ...STRICT, networks: ['127.0.0.0/8'] })
  assert.deepEqual(loopback?.addresses, ['127.0.0.1'])
  assert.equal(parseDestination('https://8.8.8.8:0/', STRICT), undefined, 'port 0')
})

test('refuses a name with one forbidden address', () => {
  assert.ok(areAddressesAllowed(['8.8.8.8', '2606:4700::1111'], STRICT))
  assert.equal(areAddressesAllowed(['8.8.8.8', '10.0.0.1'], STRICT), false)
  assert.equal(areAddressesAllowed(['::ffff:8.8.8.8'], STRICT), false)
})

/** Lookups that the test ends. */
function slowly() {
  const lookups: string[] = []
  const end = new Map<string, (addresses: string[]) => void>()
  const resolve = (hostname: string) => {
    lookups.push(hostname)
    return new Promise<string[]>((fulfill) => end.set(hostname, fulfill))
  }
  return { lookups, end, resolve }
}

test('looks a name up anew for each attempt', async () => {
  const answers = [['192.0.2.1'], ['192.0.2.2']]
  const lookUp = limitLookups(async () => answers.shift() ?? assert.fail(), 1_000)
  assert.deepEqual(await lookUp('a.example'), ['192.0.2.1'])
  assert.deepEqual(await lookUp('a.example'), ['192.0.2.2'])
})

test('limits concurrent lookups and skips those whose callers have timed out', async (t) => {
  const clock = stopPerformanceClock(t)
  const { lookups, end, resolve } = slowly()
  const lookUp = limitLookups(resolve, 10_000)
  const first = Array.from({ length: 12 }, (_, at) => lookUp(`${at}.example`))
  const queued = Promise.allSettled(first.slice(4))
  assert.equal(lookups.length, 4)
  clock.pass(10_001)
  const fresh = lookUp('fresh.example')
  end.get('0.example')?.(['192.0.2.1'])
  await first[0]
  await nextTurn()
  assert.deepEqual(lookups.slice(4), ['fresh.example'])
  end.get('fresh.example')?.(['192.0.2.3'])
  assert.deepEqual(await fresh, ['192.0.2.3'])
  const states = (await queued).map(({ status }) => status)
  assert.deepEqual(states, Array<string>(8).fill('rejected'))
})
